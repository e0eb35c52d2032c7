/** Tests a running daemon whose files are moved or deleted: its sessions continue, and clients find them again. */
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { Client } from '@spool/client';
import type { DaemonStatus, SessionInfo } from '@spool/protocol';
import { seen, TestDaemon, until } from '@spool/testkit';
import { expect, onTestFinished, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };
/** A program that repeats each line of its input. */
const ECHO = ['sh', '-c', 'stty -echo; echo ready; while read -r line; do echo "got $line"; done'];

interface StartedDaemon {
  readonly daemon: TestDaemon;
  readonly client: Client;
  readonly id: string;
  readonly before: DaemonStatus;
}

async function started(daemon: TestDaemon): Promise<StartedDaemon> {
  const client = await daemon.client();
  const { id } = await client.run({ command: ECHO, name: 'alive', size: PTY, env });
  await seen(client, id, 'ready');
  return { daemon, client, id, before: await client.status() };
}

/** Checks that a new client finds the same holder and the same child, which reads and writes as before. */
async function expectReachable({ daemon, id, before }: StartedDaemon, word: string): Promise<Client> {
  const client = await daemon.client();
  const { holder } = await client.status();
  expect(holder).toEqual(before.holder);
  expect((await client.list()).map(({ id: listed, state }) => [listed, state])).toEqual([[id, 'running']]);
  await client.write(id, `${word}\n`);
  await seen(client, id, `got ${word}`);
  return client;
}

const isSocket = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;

test.each([
  ['its socket', ['run/spool.sock']],
  ['the folder of its socket', ['run']],
  ['its address', ['daemon.address']],
  ['its locks', ['daemon.lock', 'run/daemon.lock']],
  ['all of these', ['run', 'daemon.address', 'daemon.lock']],
])('[LIFE-12] a daemon that has lost %s is found again, and no second one starts', async (_, lost) => {
  await using daemon = new TestDaemon();
  const start = await started(daemon);
  for (const path of lost) rmSync(`${daemon.home}/${path}`, { recursive: true });
  await until('it is there again', () => lost.every((path) => existsSync(`${daemon.home}/${path}`)));
  await expectReachable(start, 'one');
  expect(isSocket(`${daemon.home}/run/spool.sock`)).toBe(true);
  // The keeper was not disturbed, and neither were its clients.
  expect((await start.client.status()).keeper.pid).toBe(start.before.keeper.pid);
});

test('[LIFE-12] a daemon whose lock is deleted keeps every other daemon out, from any environment', async () => {
  const base = mkdtempSync(`${tmpdir()}/spool-test-`);
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  mkdirSync(`${base}/runtime`, { mode: 0o700 });
  await using daemon = new TestDaemon({ home: base, env: { SPOOL_HOME: '', HOME: base } });
  const start = await started(daemon);
  for (const path of ['daemon.lock', 'daemon.address']) rmSync(`${base}/.local/state/spool/${path}`);
  // At once, before the daemon can repair its files.
  const other = new TestDaemon({ home: base, env: { SPOOL_HOME: '', HOME: base, XDG_RUNTIME_DIR: `${base}/runtime` } });
  const listed = await other.json<SessionInfo[]>('ls');
  expect(listed.map(({ id, state }) => [id, state])).toEqual([[start.id, 'running']]);
  await expectReachable(start, 'one');
});

test('[LIFE-40] after its state folder is moved, the daemon is found at the new place, with all output', async () => {
  const base = mkdtempSync(`${tmpdir()}/spool-test-`);
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  mkdirSync(`${base}/old`, { mode: 0o700 });
  const start = await started(new TestDaemon({ home: `${base}/old` }));
  renameSync(`${base}/old`, `${base}/new`);
  await using daemon = new TestDaemon({ home: `${base}/new` });
  const moved = await expectReachable({ ...start, daemon }, 'one');
  expect((await moved.status()).home).toBe(`${base}/new`);
  expect(await seen(moved, start.id, 'got one')).toMatch(/^ready\r\ngot one/);
  await moved.run({ command: ['true'], env });
  start.client.close();
  expect(existsSync(`${base}/old`)).toBe(false);
  expect(readdirSync(`${base}/new/sessions`)).toHaveLength(2);
});

test('[LIFE-40] after its state folder is deleted, the sessions go on in a new one, and the lost output is an exact gap', async () => {
  await using daemon = new TestDaemon();
  const start = await started(daemon);
  const { offset } = (await start.client.list())[0]!;
  await start.client.resize(start.id, { cols: 40, rows: 10 });
  // On a busy machine the daemon may repair its folder before all of it is deleted.
  rmSync(daemon.home, { recursive: true, maxRetries: 20 });
  await until('it has a folder again', () => existsSync(`${daemon.home}/daemon.address`));
  const client = await expectReachable(start, 'one');
  for await (const item of client.watch(start.id, { from: 0 })) {
    expect(item).toMatchObject({ type: 'gap', from: 0, to: offset });
    break;
  }
  expect((await client.list())[0]!.size).toMatchObject({ cols: 40, rows: 10 });
  expect(await client.screen(start.id)).toMatchObject({
    cols: 40,
    rows: 10,
    content: expect.stringContaining('got one') as unknown,
  });
  const again = await client.run({ command: ['sh', '-c', 'echo new'], env });
  expect((await client.wait(again.id)).exitCode).toBe(0);
});

test('a socket folder in /tmp, for a home with a long path, goes with the daemon', async () => {
  const base = mkdtempSync(`${tmpdir()}/spool-test-`);
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const home = `${base}/${'deep'.repeat(30)}`;
  mkdirSync(home, { mode: 0o700 });
  await using daemon = new TestDaemon({ home });
  const client = await daemon.client();
  const { socket } = await client.status();
  expect(socket).toMatch(/^\/tmp\/spool-\d+-\w+\/spool.sock$/);
  await client.shutdown({ graceMs: 0 });
  await until('the folder is gone', () => !existsSync(dirname(socket)));
});
