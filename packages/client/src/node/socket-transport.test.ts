import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import type { Transport } from '../index.ts';
import { connectSocket } from './socket-transport.ts';

async function pair(): Promise<{ transport: Transport; socket: Socket; path: string }> {
  const folder = mkdtempSync(`${tmpdir()}/spool-socket-`);
  const path = `${folder}/s`;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const transport = await connectSocket(path);
  const socket = await accepted;
  onTestFinished(() => {
    transport.close();
    socket.destroy();
    server.close();
    rmSync(folder, { recursive: true });
  });
  return { transport, socket, path };
}

test('every byte arrives in order, whatever the chunks', async () => {
  const { transport, socket } = await pair();
  const total = 20 * 1024 * 1024;
  let at = 0;
  let wrong = -1;
  const done = new Promise<void>((resolve) => {
    transport.onData = (chunk) => {
      for (const byte of chunk) {
        if (byte !== (at * 7 + (at >> 10)) % 251 && wrong === -1) wrong = at;
        at++;
      }
      if (at >= total) resolve();
    };
  });
  for (let sent = 0; sent < total;) {
    const bytes = Math.min(total - sent, 1 + ((sent * 2_654_435_761) % 200_000));
    const chunk = new Uint8Array(bytes);
    for (let index = 0; index < bytes; index++) chunk[index] = ((sent + index) * 7 + ((sent + index) >> 10)) % 251;
    sent += bytes;
    if (!socket.write(chunk)) await new Promise((resolve) => socket.once('drain', resolve));
  }
  await done;
  expect([at, wrong]).toEqual([total, -1]);
});

test('what is sent arrives; the buffer is told, and drains when the other side reads', async () => {
  const { transport, socket } = await pair();
  socket.pause();
  const chunk = new Uint8Array(1024 * 1024).fill(7);
  for (let at = 0; at < 4; at++) transport.send(chunk);
  expect(transport.bufferedBytes).toBeGreaterThan(1024 * 1024);
  let received = 0;
  socket.on('data', (bytes: Buffer) => (received += bytes.length)).resume();
  await transport.drained();
  expect(transport.bufferedBytes).toBeLessThan(1024 * 1024);
  while (received < 4 * chunk.length) await new Promise((resolve) => setImmediate(resolve));
});

test.each([
  ['ends', (socket: Socket) => socket.end()],
  ['is cut', (socket: Socket) => socket.destroy()],
  ['is reset', (socket: Socket) => socket.resetAndDestroy()],
])('when the other side %s, the owner is told once', async (_how, cut) => {
  const { transport, socket } = await pair();
  let told = 0;
  const closed = new Promise<void>((resolve) => {
    transport.onClose = () => {
      told++;
      resolve();
    };
  });
  try {
    cut(socket);
  } catch {
    socket.destroy(); // a Unix socket cannot be reset
  }
  await closed;
  transport.close();
  transport.send(new Uint8Array(1)); // sent nowhere, without an exception
  await transport.drained();
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toBe(1);
});

test('waiting for room ends when the connection does', async () => {
  const { transport, socket } = await pair();
  socket.pause();
  transport.send(new Uint8Array(8 * 1024 * 1024));
  const drained = transport.drained();
  transport.close();
  await drained;
});

test("nobody there is the system's own error", async () => {
  await expect(connectSocket('/nowhere/s')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a dial that is given up leaves nothing open', async () => {
  const { path } = await pair();
  const controller = new AbortController();
  controller.abort();
  await expect(connectSocket(path, controller.signal)).rejects.toThrow('aborted');
});
