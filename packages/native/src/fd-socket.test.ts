/** Tests sockets without streams: order, completeness, bounds and ends, against a plain socket at the other end. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FdSocket } from './fd-socket.ts';
import { FdWatch } from './fd-watch.ts';
import { native } from './index.ts';
import { folder } from './testing/children.ts';

const { EAGAIN } = constants.errno;

interface Pair extends Disposable {
  readonly socket: FdSocket;
  readonly peer: Socket;
  readonly heard: Buffer[];
  drains: number;
  closes: number;
}

let pairs = 0;

async function pair(onData: (bytes: Uint8Array, pair: Pair) => void = () => {}): Promise<Pair> {
  const path = join(folder, `fd-socket-${pairs++}`);
  const listening = native.listenUnix(path, 8);
  expect(native.accept(listening)).toBe(-EAGAIN);
  const peer = connect(path);
  await once(peer, 'connect');
  peer.on('error', () => {});
  const watch = new FdWatch();
  const fd = native.accept(listening);
  native.close(listening);
  const socket = new FdSocket(watch, fd, {
    onData(bytes) {
      made.heard.push(Buffer.from(bytes));
      onData(bytes, made);
    },
    onDrain: () => made.drains++,
    onClose: () => made.closes++,
  });
  const made: Pair = {
    socket,
    peer,
    heard: [],
    drains: 0,
    closes: 0,
    [Symbol.dispose]() {
      socket.close();
      peer.destroy();
      watch[Symbol.dispose]();
    },
  };
  return made;
}

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function until(claim: () => boolean): Promise<void> {
  while (!claim()) await new Promise((resolve) => setImmediate(resolve));
}

test('[WIRE-1] what is written arrives whole and in order, in pieces of any size and number', async () => {
  using made = await pair();
  const pieces = Array.from({ length: 3000 }, (_, at) => randomBytes(at % 50 === 0 ? 70_000 : at % 7));
  const sent = Buffer.concat(pieces);
  const received: Buffer[] = [];
  made.peer.on('data', (bytes) => received.push(bytes));
  for (const piece of pieces) made.socket.write(piece);
  expect(made.socket.waitingBytes).toBe(sent.length);
  await until(() => received.reduce((sum, { length }) => sum + length, 0) === sent.length);
  expect(hash(Buffer.concat(received))).toBe(hash(sent));
  await until(() => made.drains > 0);
  expect(made.socket.waitingBytes).toBe(0);
});

test('[SLOW-2] a peer that does not read is waited for, and its owner sees how much waits', async () => {
  using made = await pair();
  made.peer.pause();
  const sent = randomBytes(3_000_000);
  made.socket.write(sent);
  await until(() => made.socket.waitingBytes < sent.length);
  const waiting = made.socket.waitingBytes;
  expect(waiting).toBeGreaterThan(1_000_000);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect([made.socket.waitingBytes, made.drains]).toEqual([waiting, 0]);
  const received: Buffer[] = [];
  made.peer.on('data', (bytes) => received.push(bytes));
  made.peer.resume();
  await until(() => made.drains === 1);
  await until(() => received.reduce((sum, { length }) => sum + length, 0) === sent.length);
  expect(hash(Buffer.concat(received))).toBe(hash(sent));
});

test('while it is paused nothing is read, and afterwards everything', async () => {
  using made = await pair((_, { socket }) => socket.pause());
  made.peer.write('first');
  await until(() => made.heard.length === 1);
  made.peer.write('second');
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(Buffer.concat(made.heard).toString()).toBe('first');
  made.socket.resume();
  await until(() => made.heard.length === 2);
  expect(Buffer.concat(made.heard).toString()).toBe('firstsecond');
});

test('the end of the peer is heard once, also by one who does not read at the moment', async () => {
  using reading = await pair();
  reading.peer.destroy();
  await until(() => reading.closes > 0);
  using paused = await pair();
  paused.socket.pause();
  paused.peer.destroy();
  await until(() => paused.closes > 0);
  paused.socket.close();
  paused.socket.write(Buffer.from('nobody'));
  expect([reading.closes, paused.closes, paused.socket.waitingBytes]).toEqual([1, 1, 0]);
});

test('an end comes after all that was written, for a peer that had ended its half as well', async () => {
  using made = await pair((_, { socket }) => socket.write(randomBytes(1_000_000)));
  let bytes = 0;
  made.peer.end('ask'); // a half-close: the answer is still wanted
  made.peer.on('data', (chunk) => (bytes += chunk.length));
  await once(made.peer, 'end');
  expect([bytes, made.closes]).toEqual([1_000_000, 1]);
});
