/** Tests the other protocols of the WebSocket: a plain client uses them, with the same tokens and roles. */
import type { Role } from '@spool/protocol';
import { seen, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { TestGateway } from './support/gateway.ts';

const PTY = { cols: 80, rows: 24 };

interface Message {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A client of such a protocol, with all messages that it received. */
class Plain {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  readonly binary: Buffer[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;

  constructor(gateway: TestGateway, dialect: string, query: string, token: string) {
    this.socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/ws${query}`, [dialect], {
      headers: { authorization: `Bearer ${token}` },
    });
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) =>
      this.socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    );
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.binary.push(data);
      else this.messages.push(JSON.parse(data.toString()) as Message);
    });
  }

  /** Returns the first message of a type, or the first about one task. */
  async told(type: string, taskId?: string): Promise<Message> {
    const find = (): Message | undefined =>
      this.messages.find((each) => each.type === type && (taskId === undefined || each['taskId'] === taskId));
    await until(`${type} comes`, () => find() !== undefined, 60_000);
    return find()!;
  }

  text(): string {
    const data = this.messages.flatMap((each) => (typeof each.data === 'string' ? [each.data] : []));
    return Buffer.concat(data.map((each) => Buffer.from(each, 'base64'))).toString();
  }

  say(message: object): void {
    this.socket.send(JSON.stringify(message));
  }
}

async function open(role: Role): Promise<{ daemon: TestDaemon; gateway: TestGateway; token: string }> {
  const daemon = new TestDaemon();
  const gateway = await TestGateway.start(daemon);
  const { token } = await gateway.token(role);
  return { daemon, gateway, token };
}

test('[REM-8] spool.attach.v1: the screen, output, modes, sizes, typing and the end, as JSON', async () => {
  const { daemon, gateway, token } = await open('operator');
  await using _daemon = daemon;
  const client = await daemon.client();
  const script = 'echo first; read x; printf "\\033[?1h\\033[?2004h"; echo got $x; read y; exit 7';
  const { id } = await client.run({ command: ['sh', '-c', script], size: PTY });
  await seen(client, id, 'first');
  const plain = new Plain(gateway, 'spool.attach.v1', `?session=${id}`, token);
  const init = await plain.told('init');
  expect(init).toMatchObject({ appCursorKeys: false, bracketedPasteMode: false });
  expect(plain.text()).toContain('first');
  plain.say({ type: 'resize', cols: 100, rows: 30 });
  await until('the size is taken', async () => (await client.get(id)).size?.cols === 100);
  plain.say({ type: 'input', data: 'héllo\r' });
  await until('the answer is shown', () => plain.text().includes('got héllo'), 60_000);
  expect(await plain.told('mode_changed')).toMatchObject({ appCursorKeys: true, bracketedPasteMode: true });
  plain.say({ type: 'input', data: Buffer.from('\r').toString('base64'), encoding: 'base64' });
  expect(await plain.told('session_ended')).toMatchObject({ exit_code: 7 });
  expect(await plain.closed).toMatchObject({ code: 1000 });
});

test('[REM-7] spool.attach.v1: a viewer sees and cannot type; wrong messages and sessions are refused with a code', async () => {
  const { daemon, gateway, token } = await open('viewer');
  await using _daemon = daemon;
  const client = await daemon.client();
  const { id } = await client.run({ command: ['sh', '-c', 'echo shown; exec cat'], size: PTY });
  await seen(client, id, 'shown');
  const viewer = new Plain(gateway, 'spool.attach.v1', `?session=${id}`, token);
  await viewer.told('init');
  viewer.say({ type: 'input', data: 'no\r' });
  expect(await viewer.closed).toMatchObject({ code: 4003, reason: expect.stringContaining('NOT_ALLOWED') as string });
  expect(await client.tail(id, { lines: 5 })).not.toContain('no');
  const other = new Plain(gateway, 'spool.attach.v1', '?session=nowhere', token);
  expect(await other.closed).toMatchObject({ reason: expect.stringContaining('SESSION_UNKNOWN') as string });
  for (const wrong of ['{', '[]', '{"type":"frobnicate"}', '1']) {
    const bad = new Plain(gateway, 'spool.attach.v1', `?session=${id}`, token);
    await bad.told('init');
    bad.socket.send(wrong);
    expect(await bad.closed).toMatchObject({
      code: 4003,
      reason: expect.stringContaining('REQUEST_INVALID') as string,
    });
  }
  const stranger = new Plain(gateway, 'spool.attach.v1', `?session=${id}`, 'wrong');
  expect(await stranger.closed).toMatchObject({ code: 1006 });
  expect(stranger.messages).toEqual([]);
});

test('[REM-9] spool.events.v1: tasks from start to end, and the output of a worker by its name', async () => {
  const { daemon, gateway, token } = await open('viewer');
  await using _daemon = daemon;
  const client = await daemon.client();
  const plain = new Plain(gateway, 'spool.events.v1', '', token);
  await new Promise((resolve) => plain.socket.once('open', resolve));
  plain.say({ type: 'SUBSCRIBE_WORKER_OUTPUT', payload: { agent: 'worker' } });
  // The feed begins a moment after the socket is open. A task before it shows when the feed has begun.
  await until('the feed has begun', async () => {
    await client.run({ command: ['true'], isTask: true, name: 'before', size: PTY });
    return plain.messages.some(({ type }) => type === 'task_started');
  });
  const { id } = await client.run({
    command: ['sh', '-c', 'echo building; exit 3'],
    isTask: true,
    name: 'build',
    size: PTY,
  });
  expect(await plain.told('task_started', id)).toMatchObject({ name: 'build' });
  expect(await plain.told('task_finished', id)).toMatchObject({ state: 'error', exitCode: 3 });
  const log = plain.messages
    .filter(({ type, taskId }) => type === 'task_log' && taskId === id)
    .map(({ chunk }) => chunk);
  expect(log.join('')).toContain('building');
  await client.run({ command: ['sh', '-c', 'echo from the worker; sleep 1'], name: 'worker', size: PTY });
  const { payload } = await plain.told('WORKER_OUTPUT');
  expect(payload).toMatchObject({ agent: 'worker', data: expect.stringContaining('from the worker') as string });
  plain.socket.terminate();
});

test('[REM-10] v1.alis: the magic, the screen with its size, output and the end', async () => {
  const { daemon, gateway, token } = await open('viewer');
  await using _daemon = daemon;
  const client = await daemon.client();
  const { id } = await client.run({ command: ['sh', '-c', 'echo live; read x; echo bye; exit 5'], size: PTY });
  await seen(client, id, 'live');
  const plain = new Plain(gateway, 'v1.alis', `?session=${id}`, token);
  await until('the screen comes', () => plain.binary.length >= 2, 60_000);
  expect(plain.binary[0]!.toString('latin1')).toBe('ALiS\x01');
  expect([plain.binary[1]![0], plain.binary[1]!.includes('live')]).toEqual([1, true]);
  plain.socket.send('ignored');
  await client.write(id, '\r');
  expect(await plain.closed).toMatchObject({ code: 1000 });
  const kinds = plain.binary.slice(1).map((each) => each[0]);
  expect(Buffer.concat(plain.binary).includes('bye')).toBe(true);
  expect(kinds.slice(-2)).toEqual([0x78, 0x04]);
});

test('[REM-9] spool.events.v1: a client that does not read what it subscribed to is worked for no longer', async () => {
  const { daemon, gateway, token } = await open('viewer');
  await using _daemon = daemon;
  const client = await daemon.client();
  await client.run({ command: ['sh', '-c', 'read go; exec yes'], name: 'endless', size: PTY });
  const connections = async (): Promise<number> => (await client.status()).openFiles!.connections;
  const before = await connections();
  const reader = new Plain(gateway, 'spool.events.v1', '?tasks=no', token);
  await new Promise((resolve) => reader.socket.on('open', resolve));
  reader.say({ type: 'SUBSCRIBE_WORKER_OUTPUT', payload: { agent: 'endless' } });
  await until('it is subscribed', async () => (await connections()) > before);
  reader.socket.pause();
  await client.write('endless', 'go\n');
  await until('it is given up', async () => (await connections()) === before, 60_000);
  reader.socket.terminate();
  await client.kill('endless');
});
