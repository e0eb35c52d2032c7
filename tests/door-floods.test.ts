/** Tests clients with a right token that send too much, or read too little: each harms only itself. */
import { encodeFrame, FrameType } from '@spool/protocol';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { TestDaemon, until } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FrameSocket, TestGateway } from './support/gateway.ts';
import { OPCODE, type RawFrame, rawFrame, RawWebSocket } from './support/raw-web-socket.ts';

const MIB = 1024 * 1024;

let daemon: TestDaemon;
let gateway: TestGateway;
let owner: string;

beforeAll(async () => {
  daemon = new TestDaemon();
  gateway = await TestGateway.start(daemon);
  owner = (await gateway.token('owner')).token;
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

const memory = async (): Promise<number> =>
  Number(/^spool_gateway_memory_bytes (\d+)$/m.exec((await gateway.ask('/metrics', { token: owner })).text)![1]);

const hello = encodeFrame(FrameType.hello, 0, Buffer.from('{"protocol":1,"version":"test"}'));

test('[DOOR-13] pings whose answers nobody reads cost no memory', async () => {
  const { token } = await gateway.token('viewer');
  const raw = await RawWebSocket.open(gateway.port, token);
  const block = Buffer.concat(Array(10_000).fill(rawFrame({ opcode: OPCODE.ping, payload: Buffer.alloc(125) })));
  const before = await memory();
  for (let sent = 0; sent < 64 * MIB; sent += block.length)
    if (!raw.socket.write(block)) await new Promise((resolve) => raw.socket.once('drain', resolve));
  // Without the limit every answer is kept, which took 360 MB.
  expect((await memory()) - before).toBeLessThan(150 * MIB);
  raw.socket.destroy();
});

test('[DOOR-13] a client that asks and reads no refusal is not read any further, and loses none once it reads', async () => {
  const { token } = await gateway.token('viewer');
  const raw = await RawWebSocket.open(gateway.port, token);
  const refused = Buffer.from(JSON.stringify({ op: 'kill', session: 'x'.repeat(900) }));
  const count = 60_000;
  const block = Buffer.concat(
    Array(100).fill(rawFrame({ opcode: OPCODE.binary, payload: encodeFrame(FrameType.request, 7, refused) })),
  );
  raw.send({ opcode: OPCODE.binary, payload: hello });
  let sent = 0;
  /** Returns false if no bytes are accepted for seconds. */
  const isTaken = async (): Promise<boolean> => {
    const written = new Promise<boolean>((resolve) => raw.socket.write(block, () => resolve(true)));
    sent += 100;
    return await Promise.race([written, new Promise<boolean>((resolve) => setTimeout(resolve, 4000, false))]);
  };
  for (let at = 0; at < count; at += 100) if (!(await isTaken())) break;
  expect(sent).toBeLessThan(count);
  let answers = 0;
  raw.socket.on('data', (part: Buffer) => (answers += part.toString('latin1').split('ROLE_TOO_LOW').length - 1));
  raw.socket.resume();
  await until('all are answered', () => answers >= sent * 0.99, 120_000); // a word may be cut in two
  raw.socket.destroy();
});

test('[DOOR-41] one viewer cannot use up the connections of all, nor can all browsers of one link', async () => {
  const { token } = await gateway.token('viewer');
  const open: FrameSocket[] = [];
  const batch = async (size: number): Promise<void> =>
    void open.push(
      ...(await Promise.all(Array.from({ length: size }, () => gateway.socket({ authorization: `Bearer ${token}` })))),
    );
  for (let at = 0; at < 512; at += 64) await batch(64);
  await expect(batch(1)).rejects.toThrow('refused with 503');
  expect((await gateway.ask('/api/sessions', { token: owner })).status).toBe(200);
  open.pop()!.close();
  await until('one may come for one that has left', () =>
    batch(1).then(
      () => true,
      () => false,
    ),
  );
  for (const socket of open) socket.close();
});

test('[DOOR-41] answers that nobody reads: a viewer has few of them, whether over one connection or many', async () => {
  const { token } = await gateway.token('viewer');
  const client = await daemon.client();
  await client.run({ command: ['cat'], name: 'quiet' });
  const poll = `GET /api/sessions/quiet/wait?timeoutMs=50000 HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const socket = connect(gateway.port, '127.0.0.1');
  socket.write(poll.repeat(2000));
  const refused = (): Promise<string | undefined> => gateway.ask('/api/sessions', { token }).then(({ code }) => code);
  await until('there are too many', async () => (await refused()) === 'TOO_MANY_VISITS');
  const { openFiles } = await client.status();
  expect(openFiles!.connections).toBeLessThan(300);
  expect((await gateway.ask('/api/sessions', { token: owner })).status).toBe(200);
  socket.destroy();
  // No work is done for clients that have left, also for requests that waited behind others of their connection.
  const connections = async (): Promise<number> => (await client.status()).openFiles!.connections;
  const other = await gateway.token('viewer');
  const before = await connections();
  const leaving = connect(gateway.port, '127.0.0.1');
  leaving.write(poll.replace(token, other.token).repeat(20));
  await until('they wait', async () => (await connections()) >= before + 20);
  leaving.destroy();
  await until('they are over with the connection', async () => (await connections()) < before + 10);
  await client.kill('quiet');
});

test('[DOOR-52] neither strangers nor the looks of a viewer drive other lines out of the audit log', async () => {
  const client = await daemon.client();
  await client.run({ command: ['cat'], name: 'looked-at', size: { cols: 80, rows: 24 } });
  const { token, id } = await gateway.token('viewer');
  const count = async (what: string): Promise<number> => {
    const { stdout } = await daemon.spool(['audit', '--json']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { what: string; token: string | null });
    return lines.filter((line) => line.what === what && (what !== 'attach' || line.token === id)).length;
  };
  const socket = await gateway.frames(token);
  for (let at = 0; at < 200; at++)
    await socket.request('attach', { session: 'looked-at', creditBytes: 1, typing: 'abcdefgh' });
  socket.close();
  await until('it is recorded', async () => (await count('attach')) > 0);
  expect(await count('attach')).toBeLessThanOrEqual(2); // two, if a minute ended in between
  await client.kill('looked-at');
});

test('[PAGE-10] one token may have few searches waiting', async () => {
  const { token } = await gateway.token('viewer');
  const client = await daemon.client();
  await client.run({ command: ['sh', '-c', 'seq 1 2000000; exec cat'], name: 'long', size: { cols: 80, rows: 24 } });
  await until('there is much to search', async () => (await client.get('long')).offset > 14_000_000);
  const search = (with_: string): Promise<number> =>
    gateway.ask('/api/sessions/long/search?text=nothing', { token: with_ }).then(({ status }) => status);
  const statuses = await Promise.all([...Array.from({ length: 50 }, () => search(token)), search(owner)]);
  expect(statuses.at(-1)).toBe(200);
  expect([...new Set(statuses.slice(0, -1))].sort()).toEqual([200, 503]);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(5);
  await client.kill('long');
});

test('[DOOR-17] strangers who say nothing, or half of something, give way: whoever has a token is let in', async () => {
  const sayings = ['', 'GET /api/sessions HTTP/1.1\r\nHost: ', 'GET / HTTP/1.1\r\nX: '];
  const { pid } = (await (await daemon.client()).doors.status())!;
  const sockets = (): number =>
    readdirSync(`/proc/${pid}/fd`).filter((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
      } catch {
        return false; // closed meanwhile
      }
    }).length;
  const before = sockets();
  const strangers = Array.from({ length: 400 }, (_, at) => {
    const socket = connect(gateway.port, '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.write(sayings[at % sayings.length]!);
    return socket;
  });
  await Promise.all(strangers.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  // Accepted after all of them.
  expect((await gateway.ask('/api/sessions', { token: owner })).status).toBe(200);
  expect(sockets() - before).toBeLessThan(300);
  // Each is closed in time, whatever it sends.
  await until('all are gone', () => strangers.every(({ destroyed }) => destroyed), 60_000);
});

const parts = (count: number, bytes: number): RawFrame[] =>
  Array.from({ length: count }, () => ({ opcode: OPCODE.continuation, payload: Buffer.alloc(bytes), isFinal: false }));
const binary = (payload: Uint8Array): RawFrame => ({ opcode: OPCODE.binary, payload });

test('[DOOR-5] frames of a WebSocket that are none, too long, in too many parts or not masked close it, and only it', async () => {
  const { token } = await gateway.token('viewer');
  const beside = await gateway.frames(token);
  const ways: Record<string, readonly RawFrame[]> = {
    'not masked': [{ ...binary(hello), isMasked: false }],
    'reserved bits': [{ ...binary(hello), reserved: 4 }],
    'an unknown kind': [{ opcode: 3 }],
    'a long ping': [{ opcode: OPCODE.ping, payload: Buffer.alloc(126) }],
    'a ping in parts': [{ opcode: OPCODE.ping, isFinal: false }],
    'a part of nothing': [{ opcode: OPCODE.continuation, payload: hello }],
    'a message within another': [{ ...binary(hello.subarray(0, 5)), isFinal: false }, binary(hello)],
    'too many parts': [{ ...binary(Buffer.alloc(1)), isFinal: false }, ...parts(20_000, 1)],
    'too long in parts': [{ ...binary(Buffer.alloc(60_000)), isFinal: false }, ...parts(20, 60_000)],
    text: [{ opcode: OPCODE.text, payload: Buffer.from('hello') }],
    'broken text': [{ opcode: OPCODE.text, payload: Buffer.from([0xff, 0xfe]) }],
    'a header that lies': [binary(Buffer.from([0xff, 0xff, 0xff, 0xff, ...hello.subarray(4)]))],
    'no hello': [binary(encodeFrame(FrameType.request, 1, Buffer.from('{"op":"list"}')))],
  };
  const codes: Record<string, number | null> = {};
  for (const [way, frames] of Object.entries(ways)) {
    const raw = await RawWebSocket.open(gateway.port, token);
    raw.send(...frames);
    codes[way] = await raw.closeCode();
  }
  expect(codes).toEqual({
    'not masked': 1002,
    'reserved bits': 1002,
    'an unknown kind': 1002,
    'a long ping': 1002,
    'a ping in parts': 1002,
    'a part of nothing': 1002,
    'a message within another': 1002,
    'too many parts': 1008,
    'too long in parts': 1009,
    text: 4003,
    'broken text': 1007,
    'a header that lies': 4003,
    'no hello': 4002,
  });
  expect(await beside.request('list')).toHaveProperty('sessions');
  beside.close();
});

test('[DOOR-13] a hello in single bytes, each in a part of its own, is a hello', async () => {
  const { token } = await gateway.token('viewer');
  const raw = await RawWebSocket.open(gateway.port, token);
  let answer = '';
  raw.socket.on('data', (part: Buffer) => (answer += part.toString('latin1')));
  raw.socket.resume();
  for (const [at, byte] of hello.entries())
    raw.send(
      {
        opcode: at === 0 ? OPCODE.binary : OPCODE.continuation,
        payload: Uint8Array.of(byte),
        isFinal: at === hello.length - 1,
      },
      { opcode: OPCODE.ping, payload: Buffer.from('between') },
    );
  await until('it is answered', () => answer.includes('"protocol":1'));
  expect(answer).toContain('between');
  raw.socket.destroy();
});
