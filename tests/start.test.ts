import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { isAlive, seen, TestDaemon, until } from '@spool/testkit';
import { NOT_ROOT, testNeeding } from '@spool/testkit/needs';
import { expect, test } from 'vitest';

test.each([2, 50])('[LIFE-4] %i starts at once make one daemon', async (count) => {
  await using daemon = new TestDaemon();
  const statuses = await Promise.all(Array.from({ length: count }, async () => (await daemon.client()).status()));
  expect(new Set(statuses.map(({ holder }) => holder.pid)).size).toBe(1);
  expect(new Set(statuses.map(({ keeper }) => keeper.pid)).size).toBe(1);
  await until('the ones that came second are gone', () => daemon.processes().length === 3); // holder, keeper, fd store
});

test('[LIFE-4] fifty commands at once, from nothing, start one daemon and fifty sessions', async () => {
  await using daemon = new TestDaemon();
  const ran = await Promise.all(
    Array.from({ length: 50 }, () => daemon.json<{ id: string }>('run', '-d', '--', 'cat')),
  );
  expect(new Set(ran.map(({ id }) => id)).size).toBe(50);
  expect((await daemon.json<unknown[]>('ls')).length).toBe(50);
});

test('[LIFE-4] a stale socket and a stale lock file heal by themselves', async () => {
  await using daemon = new TestDaemon();
  const first = await daemon.client();
  const { holder, keeper, socket } = await first.status();
  daemon.killWhole({ holder, keeper });
  await until('both are gone', () => !isAlive(holder.pid) && !isAlive(keeper.pid));
  expect(lstatSync(socket).isSocket()).toBe(true);
  const second = await (await daemon.client()).status();
  expect(second.keeper.pid).not.toBe(keeper.pid);
});

test('[LIFE-4] what is run while the daemon is stopping is started by the next daemon', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const before = await client.status();
  const drains = 'trap "echo draining; sleep 1; exit" TERM; echo ready; while :; do sleep 0.1; done';
  const slow = await client.run({ command: ['sh', '-c', drains] });
  await seen(client, slow.id, 'ready');
  const stopping = daemon.spool(['daemon', 'stop', '--force']);
  await seen(client, slow.id, 'draining');
  const ran = await Promise.all(Array.from({ length: 5 }, () => daemon.spool(['run', '-d', '--', 'true'])));
  expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual(ran.map(() => [0, '']));
  await stopping;
  expect((await (await daemon.client()).status()).keeper.pid).not.toBe(before.keeper.pid);
  await until('the first daemon is gone', () => !isAlive(before.holder.pid) && !isAlive(before.keeper.pid));
});

test('[DOOR-8] [LOG-7] the folders are 0700, the socket and every file 0600', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { socket } = await client.status();
  await client.wait((await client.run({ command: ['echo', 'x'], size: null, env: { PATH: process.env.PATH! } })).id);
  const modes = execFileSync('find', [daemon.home, '-printf', '%y %m %p\n'], { encoding: 'utf8' }).trim().split('\n');
  expect(
    modes.filter((line) => !/^(d 700|[fs] 600|f 700 .*\/program\/.*\/spool-(beside|fd-store|hook|tied)$) ?/.test(line)),
  ).toEqual([]);
  expect(modes.some((line) => line === `s 600 ${socket}`)).toBe(true);
});

testNeeding(NOT_ROOT)('[DOOR-8] another user cannot connect, even where the folders would let him', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { socket } = await client.status();
  chmodSync(daemon.home, 0o755);
  chmodSync(`${daemon.home}/run`, 0o755);
  chmodSync(socket, 0o666);
  const script = `const s = require('net').createConnection(${JSON.stringify(socket)}); s.on('error', (e) => console.log(e.code)); s.on('close', () => console.log('closed')); s.on('data', () => console.log('data')); s.write(Buffer.alloc(64));`;
  const out = execFileSync('setpriv', ['--reuid', '65534', '--clear-groups', process.execPath, '-e', script], {
    encoding: 'utf8',
    cwd: '/',
  });
  chmodSync(daemon.home, 0o700);
  chmodSync(`${daemon.home}/run`, 0o700);
  expect(out).toContain('closed');
  expect(out).not.toContain('data');
  expect((await client.status()).sessions.running).toBe(0);
});

test('[DOOR-8] a folder that is a symlink is refused with a sentence', async () => {
  const base = mkdtempSync(`${tmpdir()}/spool-test-`);
  mkdirSync(`${base}/elsewhere`, { mode: 0o700 });
  symlinkSync(`${base}/elsewhere`, `${base}/home`);
  await using daemon = new TestDaemon({ home: `${base}/home` });
  const { code, stderr } = await daemon.spool(['run', '-d', '--', 'true']);
  expect(code).toBe(4);
  expect(stderr).toMatch(/symbolic link/);
  expect(stderr).toContain(`${base}/home`);
  rmSync(base, { recursive: true });
});

testNeeding(NOT_ROOT)("[DOOR-8] somebody else's folder is refused with a sentence", async () => {
  const home = mkdtempSync(`${tmpdir()}/spool-test-`);
  mkdirSync(`${home}/run`);
  chownSync(`${home}/run`, 65534, 65534);
  await using daemon = new TestDaemon({ home });
  const { code, stderr } = await daemon.spool(['run', '-d', '--', 'true']);
  expect(code).toBe(4);
  expect(stderr).toMatch(/belongs to/);
});

test('[LIFE-5] a damaged record costs one session, never the daemon', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const env = { PATH: process.env.PATH! };
  const [good, bad] = await Promise.all([1, 2].map(() => client.run({ command: ['echo', 'hello'], size: null, env })));
  await Promise.all([client.wait(good!.id), client.wait(bad!.id)]);
  await daemon.spool(['daemon', 'stop']);
  writeFileSync(`${daemon.home}/sessions/${bad!.id}/session.json`, '{"run":');
  const listed = await (await daemon.client()).list();
  expect(listed.map(({ id }) => id)).toEqual([good!.id]);
  expect(readFileSync(`${daemon.home}/daemon.log`, 'utf8')).toContain(bad!.id);
});

test('while a keeper is being replaced, connections wait and are not refused', async () => {
  await using daemon = new TestDaemon();
  const { keeper, socket } = await (await daemon.client()).status();
  process.kill(keeper.pid, 'SIGKILL');
  const results = await Promise.all(
    Array.from(
      { length: 20 },
      () =>
        new Promise<string>((resolve) => {
          const connection = createConnection(socket, () => (connection.destroy(), resolve('connected')));
          connection.on('error', (error) => resolve(error.message));
        }),
    ),
  );
  expect(new Set(results)).toEqual(new Set(['connected']));
});
