/** Tests that no action of a client, a program or a configuration harms the daemon or other clients. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { BareClient, seen, socketRoomBytes, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };
const ASKING = ['bash', '-c', 'read -p "Sure? [y/N] " x'];

function configure(daemon: TestDaemon, notify: object): void {
  mkdirSync(`${daemon.home}/config`, { recursive: true });
  writeFileSync(`${daemon.home}/config/config.json`, JSON.stringify({ notify }));
}

test('[STATE-6] a notification command that cannot be started harms nobody', async () => {
  await using daemon = new TestDaemon();
  configure(daemon, { command: ['/etc/passwd/x'] });
  const client = await daemon.client();
  const { keeper } = await client.status();
  const events = client.events({ types: ['notification'] });
  await client.run({ command: ASKING, size: PTY, env });
  expect((await events.next()).value).toMatchObject({ about: 'blocked' });
  await client.wait((await client.run({ command: ['sh', '-c', 'exit 1'], size: PTY, env })).id);
  expect((await client.status()).keeper.pid).toBe(keeper.pid);
});

test('[STATE-6] a configuration that is no file is as good as none', async () => {
  await using daemon = new TestDaemon();
  mkdirSync(`${daemon.home}/config/rules`, { recursive: true });
  execFileSync('mkfifo', [`${daemon.home}/config/config.json`, `${daemon.home}/config/rules/x.json`]);
  const client = await daemon.client();
  const { id } = await client.run({ command: ASKING, size: PTY, env });
  expect((await client.waitUntil(id, 'blocked', { timeoutMs: 10_000 })).reason).toBe('blocked');
  await client.wait((await client.run({ command: ['sh', '-c', 'exit 1'], size: PTY, env })).id);
  expect((await client.screen(id)).content).toContain('Sure?');
});

test('[STATE-6] a block that was told is not told again by the next keeper', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const told: string[] = [];
  void (async () => {
    for await (const event of client.events({ types: ['notification'] })) if ('name' in event) told.push(event.name);
  })();
  await client.run({ command: ASKING, name: 'first', size: PTY, env });
  await until('it was told', () => told.length === 1);
  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  await until('there is another keeper', async () => (await client.status()).keeper.pid !== keeper.pid);
  await client.run({ command: ASKING, name: 'second', size: PTY, env });
  await until('the second was told', () => told.includes('second'));
  expect(told).toEqual(['first', 'second']);
});

test('[WIRE-2] sessions with enormous commands are listed like others', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const long = 'x'.repeat(100_000);
  for (let n = 0; n < 30; n++)
    await client.run({ command: ['sh', '-c', 'exec sleep 1000', `--${long}`], size: PTY, env });
  const listed = await client.list();
  expect(listed).toHaveLength(30);
  expect(listed[0]!.command.at(-1)).toMatch(/^--x{16000,}…$/);
});

test('[SLOW-2] one who follows events and does not read them holds at most 256 KiB in the daemon', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { socket } = await client.status();
  const deaf = await BareClient.connect(socket);
  await deaf.answer(1, { op: 'events' });
  deaf.pause();
  // Two events of 15 kB each.
  const command = ['true', 'x'.repeat(15_000)];
  for (let n = 0; n < 60; n++) await client.wait((await client.run({ command, size: null, env })).id);
  deaf.resume();
  await deaf.hears(1, 'events-missed');
  const held = deaf.frames.reduce((sum, { payload }) => sum + payload.length, 0);
  // The bytes in the kernel, those that its own socket read before it paused, and those that the promise allows.
  expect(held - socketRoomBytes() - 64 * 1024).toBeLessThan(256 * 1024);
  deaf.close();
}, 120_000);

test('[IN-43] a keeper that dies between paste and Enter: asked again, the prompt is submitted, once', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = `process.stdin.setRawMode(true); process.stdout.write('\\x1b[?2004hready');
    process.stdin.on('data', (bytes) => process.stdout.write('<' + JSON.stringify(bytes.toString()) + '>'));`;
  const { id } = await client.run({ command: [process.execPath, '-e', script], size: PTY, env });
  await seen(client, id, 'ready');
  const { keeper } = await client.status();
  const prompting = client.prompt(id, 'do it', { key: 'once', confirmMs: 500 });
  await seen(client, id, '201~');
  process.kill(keeper.pid, 'SIGKILL');
  await prompting;
  await seen(client, id, '<"\\r">');
  expect(await client.prompt(id, 'do it', { key: 'once', confirmMs: 500 })).toMatchObject({ isRepeated: true });
  const all = await seen(client, id, '<"\\r">');
  expect([all.match(/do it/g)!.length, all.match(/<"\\r">/g)!.length]).toEqual([1, 1]);
});

test('without free fds those who come wait, cost nothing, and are served once there is room', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { keeper } = await client.status();
  const pid = String(keeper.pid);
  const limit = (soft: number): void => void execFileSync('prlimit', ['--pid', pid, `--nofile=${soft}:`]);
  const before = Number(/open files *(\d+)/i.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))![1]);
  limit(3);
  const late = daemon.client();
  let isServed = false;
  void late.then(() => (isServed = true));
  const spent = (): number => {
    const [, rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const fields = rest!.split(' ');
    return Number(fields[11]) + Number(fields[12]);
  };
  const spentBefore = spent();
  for (let asked = 0; asked < 20; asked++) {
    expect((await client.list()).length).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(isServed).toBe(false);
  expect(spent() - spentBefore).toBeLessThan(50); // half a second, which has passed: a loop would take all of it
  limit(before);
  expect((await (await late).list()).length).toBe(0);
});
