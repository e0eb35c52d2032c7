/** Tests that only users without an attached terminal are notified. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import type { Client, EventItem } from '@spool/client';
import { seen, SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH!, HOME: '/' };
const ASKING = ['bash', '-c', 'read -p "Deploy to production? [y/N] " answer; exit "$answer"'];

function configure(daemon: TestDaemon, notify: object): void {
  mkdirSync(`${daemon.home}/config`, { recursive: true });
  writeFileSync(`${daemon.home}/config/config.json`, JSON.stringify({ notify }));
}

/** Collects the events of these types, in order. */
function listen(client: Client, ...types: string[]): EventItem[] {
  const told: EventItem[] = [];
  void (async () => {
    for await (const event of client.events({ types })) told.push(event);
  })();
  return told;
}

test('[STATE-6] blocked, failed: told once each, to events and to the configured command, which gets JSON and no shell', async () => {
  await using daemon = new TestDaemon();
  const file = `${daemon.home}/told`;
  const script = `let all = ''; process.stdin.on('data', (d) => (all += d)).on('end', () =>
    require('fs').appendFileSync(process.argv[1], JSON.stringify({ args: process.argv.slice(2), about: process.env.SPOOL_ABOUT, secret: process.env.SECRET, told: JSON.parse(all) }) + '\\n'));`;
  configure(daemon, { command: [process.execPath, '-e', script, file, '$(touch never); `id`'] });
  daemon.env.SECRET = 'not for hooks';
  const client = await daemon.client();
  const told = listen(client, 'notification');
  const { id } = await client.run({ command: ASKING, name: '$(evil) name', size: PTY, env });
  const lines = (): { about: string; args: string[]; secret?: string; told: Record<string, unknown> }[] => {
    try {
      return readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    } catch {
      return [];
    }
  };
  await until('the command was told', () => lines().length === 1);
  expect(lines()[0]).toMatchObject({
    about: 'blocked',
    args: ['$(touch never); `id`'],
    told: { type: 'notification', id, about: 'blocked', name: '$(evil) name' },
  });
  expect(lines()[0]!.secret).toBeUndefined();
  await client.keys(id, ['3', 'Enter']);
  await client.wait(id);
  await until('the failure was told', () => lines().length === 2);
  expect(lines()[1]).toMatchObject({ about: 'failure', told: { id, title: '$(evil) name failed: exit code 3' } });
  expect(told.map((event) => event.type === 'notification' && event.about)).toEqual(['blocked', 'failure']);
});

test('[STATE-6] each question is told, also one right after the other; it is a state of its own', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const told = listen(client, 'notification');
  const script = 'read -p "First? [y/N] " a; read -p "Second? [y/N] " b; read -p "Password: " c; exec sleep 1000';
  const { id } = await client.run({ command: ['bash', '-c', script], size: PTY, env });
  const since: number[] = [];
  for (const count of [1, 2, 3]) {
    await until(`${count} were told`, () => told.length === count);
    since.push((await client.get(id)).status.since);
    await client.keys(id, ['y', 'Enter']);
  }
  await until('it goes on', async () => (await client.get(id)).status.state === 'working');
  expect(told.map((event) => event.type === 'notification' && event.body)).toEqual([
    'it asks: First? [y/N]',
    'it asks: Second? [y/N]',
    'it asks: Password:',
  ]);
  const { history } = await client.explain(id);
  expect(history.flatMap((item) => (item.type === 'status' && item.state === 'blocked' ? [item.at] : []))).toEqual(
    since,
  );
});

test('[STATE-6] what was told is not told again when somebody has looked at it, or a keeper died', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const told = listen(client, 'notification');
  const { id } = await client.run({ command: ASKING, size: PTY, env });
  await until('it was told', () => told.length === 1);
  {
    using terminal = new Terminal([SPOOL, 'attach', id], daemon.env);
    await until('it is seen', () => terminal.printed.includes('production?'));
  }
  await until('nobody is attached', async () => (await client.get(id)).viewers.length === 0);
  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  await until('there is another keeper', async () => (await client.status()).keeper.pid !== keeper.pid);
  // The next session asks later: its notification is the last one.
  const next = await client.run({ command: ASKING, size: PTY, env });
  await until('the next was told', () => told.some((event) => event.type === 'notification' && event.id === next.id));
  const ids = told.flatMap((event) => (event.type === 'notification' ? [event.id] : [])); // the list may contain a gap
  expect(ids).toEqual([id, next.id]);
});

test('[STATE-6] not while somebody is attached, and not when somebody ended it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const told = listen(client, 'notification');
  const { id } = await client.run({
    command: ['bash', '-c', 'read -r x; read -p "Go on? [y/N] " y; exit 1'],
    size: PTY,
    env,
  });
  using terminal = new Terminal([SPOOL, 'attach', id], daemon.env);
  await until('somebody is attached', async () => (await client.get(id)).viewers.length === 1);
  terminal.type('x\r');
  await client.waitUntil(id, 'blocked', { timeoutMs: 10_000 });
  terminal.type('y\r');
  expect(await client.wait(id)).toMatchObject({ exitCode: 1 });
  const stopped = await client.run({ command: ['sleep', '1000'], size: PTY, env });
  await client.stop(stopped.id);
  // A session without viewers comes after them: its notification is the last one.
  const other = await client.run({ command: ['sh', '-c', 'exit 9'], size: PTY, env });
  await until('the other was told', () => told.length > 0);
  expect(told).toMatchObject([{ id: other.id, about: 'failure' }]);
});

test('[STATE-6] the desktop is told by notify-send, if the user wants that', async () => {
  const programs = mkdtempSync(`${tmpdir()}/spool-test-programs-`);
  try {
    // It records its arguments, which the real program would show.
    writeFileSync(`${programs}/notify-send`, '#!/bin/sh\nprintf "%s\\n" "$@" > "$(dirname "$0")/shown"\n', {
      mode: 0o755,
    });
    await using daemon = new TestDaemon({ env: { PATH: `${programs}:${process.env.PATH}` } });
    configure(daemon, { desktop: true });
    const client = await daemon.client();
    await client.run({ command: ['sh', '-c', 'exit 9'], name: '--urgency=critical', size: PTY, env });
    await until(
      'the desktop was told',
      () => existsSync(`${programs}/shown`) && readFileSync(`${programs}/shown`, 'utf8').includes('after'),
    );
    const told = readFileSync(`${programs}/shown`, 'utf8').split('\n');
    expect(told.slice(told.indexOf('--') + 1)).toEqual([
      '--urgency=critical failed: exit code 9',
      expect.stringMatching(/^after [0-9.]+s$/),
      '',
    ]);
  } finally {
    rmSync(programs, { recursive: true });
  }
});

test('[STATE-6] a webhook is posted to, and is not followed elsewhere', async () => {
  await using daemon = new TestDaemon();
  const asked: { url: string; body: string; type: string | undefined }[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push({ url: request.url!, body, type: request.headers['content-type'] });
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    configure(daemon, { webhook: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, on: ['failure'] });
    const client = await daemon.client();
    const { id } = await client.run({ command: ['sh', '-c', 'exit 9'], size: PTY, env });
    await until('the webhook was told', () => asked.length > 0);
    expect(asked[0]).toMatchObject({ url: '/hook', type: 'application/json' });
    expect(JSON.parse(asked[0]!.body)).toMatchObject({ type: 'notification', id, about: 'failure' });
    await until('what it answered is complained about', () =>
      readFileSync(`${daemon.home}/daemon.log`, 'utf8').includes('(webhook): the server answered 302'),
    );
    expect(asked).toHaveLength(1);
  } finally {
    server.close();
  }
});

test('[STATE-6] a configuration that cannot be used is a sentence in the log, and harms nobody', async () => {
  await using daemon = new TestDaemon();
  configure(daemon, { webhook: 'http://example.org/', command: 'rm -rf /', on: ['everything'], desktop: 'yes' });
  const client = await daemon.client();
  const told = listen(client, 'notification');
  const { id } = await client.run({ command: ['sh', '-c', 'echo x; exit 9'], size: PTY, env });
  await seen(client, id, 'x');
  await until('it was told all the same', () => told.length === 1);
  const log = readFileSync(`${daemon.home}/daemon.log`, 'utf8');
  for (const key of ['webhook', 'command', 'on', 'desktop']) expect(log).toContain(`notify.${key} must be`);
});
