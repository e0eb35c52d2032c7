import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import type { Requester } from '@spool/client/driver';
import type { RelayTarget } from '@spool/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Relay } from './relay.ts';

const SALT = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const LONG = 70_000;

let folder = '';
let server: Server | null = null;
beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/spool-relay-`);
  writeFileSync(`${folder}/lines`, '');
  writeFileSync(`${folder}/outcome`, 'R');
});
afterEach(() => {
  server?.close();
  server = null;
  rmSync(folder, { recursive: true, force: true });
});

/** Accepts a WebSocket, and returns a function that sends one text. */
function accept(socket: Socket, onText: (text: string) => void): (text: string, pieces?: number) => void {
  let isOpen = false;
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => {
    if (!isOpen) {
      isOpen = true;
      const key = /Sec-WebSocket-Key: (\S+)/.exec(bytes.toString())![1]!;
      const answer = createHash('sha1').update(`${key}${SALT}`).digest('base64');
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: ${answer}\r\n\r\n`);
      return;
    }
    const size = bytes[1]! & 0x7f;
    const mask = bytes.subarray(2, 6);
    onText(Buffer.from(bytes.subarray(6, 6 + size).map((byte, at) => byte ^ mask[at & 3]!)).toString());
  });
  return (text, pieces = 1) => {
    const all = Buffer.from(text);
    const step = Math.ceil(all.length / pieces);
    for (let at = 0; at < all.length; at += step) {
      const part = all.subarray(at, at + step);
      const head = Buffer.alloc(part.length < 126 ? 2 : part.length < 65_536 ? 4 : 10);
      head[0] = (at + step >= all.length ? 0x80 : 0) | (at === 0 ? 1 : 0);
      head[1] = head.length === 2 ? part.length : head.length === 4 ? 126 : 127;
      if (head.length === 4) head.writeUInt16BE(part.length, 2);
      if (head.length === 10) head.writeBigUInt64BE(BigInt(part.length), 2);
      socket.write(Buffer.concat([head, part]));
    }
  };
}

/** A relay to a server, by default in this folder, and the session's end. */
function start(target: RelayTarget = { agent: 'codex', socket: `${folder}/s`, outcome: `${folder}/outcome` }): {
  relay: Relay;
  end: () => Promise<void>;
  lines: () => Record<string, unknown>[];
} {
  const ended = Promise.withResolvers<unknown>();
  const requester = { once: () => ended.promise } as unknown as Requester;
  const relay = new Relay(folder, target, requester, 's');
  const read = (async () => {
    for await (const _ of relay.lines(0));
  })();
  const lines = (): Record<string, unknown>[] =>
    readFileSync(`${folder}/lines`, 'utf8')
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => JSON.parse(text) as Record<string, unknown>);
  const end = (): Promise<void> => {
    ended.resolve({ session: { exitCode: 0, signal: null } });
    return read;
  };
  return { relay, lines, end };
}

test('[CHAN-3] each message is recorded whole, with its connection, and lines reach only the connection that they were made for', async () => {
  const heard: string[] = [];
  const sends: ReturnType<typeof accept>[] = [];
  const sockets: Socket[] = [];
  server = createServer((socket) => {
    sockets.push(socket);
    sends.push(accept(socket, (text) => heard.push(text)));
  }).listen(`${folder}/s`);
  await once(server, 'listening');
  const { relay, lines, end } = start();
  await vi.waitFor(() => expect(lines()).toMatchObject([{ connected: true }]), 10_000);
  sends[0]!('{"a":1}');
  sends[0]!(`{"long":"${'x'.repeat(LONG)}"}`, 3);
  sends[0]!('{\n"b":\n2}');
  sends[0]!('not JSON');
  await vi.waitFor(() => expect(lines()).toHaveLength(5), 10_000);
  expect(
    lines()
      .slice(1)
      .map(({ message }) => message),
  ).toEqual([{ a: 1 }, { long: 'x'.repeat(LONG) }, { b: 2 }, 'not JSON']);
  const [first] = lines();
  sockets[0]!.destroy();
  await vi.waitFor(() => expect(lines().at(-1)).toMatchObject({ connected: true }), 10_000);
  expect(lines().at(-2)).toMatchObject({ relay: first!['relay'], lost: expect.any(String) });
  const second = lines().at(-1)!['relay'];
  relay.writer.write({
    offset: 0,
    closes: false,
    lines: [`{"relay":${JSON.stringify(first!['relay'])},"line":{"old":1}}`],
  });
  relay.writer.write({ offset: 1, closes: false, lines: [`{"relay":${JSON.stringify(second)},"line":{"new":1}}`] });
  await vi.waitFor(() => expect(heard).toEqual(['{"new":1}']), 10_000);
  await end();
});

test('[CHAN-9] a server that no longer answers, or never did, is reported once', async () => {
  server = createServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(`${folder}/s`);
  await once(server, 'listening');
  const { lines, end } = start();
  await vi.waitFor(() => expect(lines()).toMatchObject([{ gone: 'this is not a WebSocket server' }]), 30_000);
  await end();
});

test('[CHAN-9] a server that accepts and closes at once is not asked without end', async () => {
  let connections = 0;
  server = createServer((socket) => {
    connections++;
    accept(socket, () => {});
    socket.once('data', () => socket.end());
  }).listen(`${folder}/s`);
  await once(server, 'listening');
  const { lines, end } = start();
  await vi.waitFor(() => expect(lines().at(-1)).toMatchObject({ gone: expect.any(String) }), 30_000);
  expect([connections, lines().filter((line) => line['lost'] !== undefined)]).toMatchObject([8, { length: 8 }]);
  await end();
}, 40_000);

test('[CHAN-9] a server that refuses the password is reported at once', async () => {
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { lines, end } = start({ agent: 'opencode', port, password: 'p' });
  await vi.waitFor(() => expect(lines()).toMatchObject([{ gone: 'it does not accept the password' }]), 30_000);
  await end();
});

test('[CHAN-9] an agent that runs as typed is not waited for', async () => {
  writeFileSync(`${folder}/outcome`, 'it ended with 3');
  const { lines, end } = start();
  await end();
  expect(lines()).toEqual([]);
});
