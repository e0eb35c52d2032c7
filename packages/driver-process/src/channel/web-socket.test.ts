import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { connectWebSocket } from './web-socket.ts';

const SALT = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

test.each([
  ['a frame of 2^40 bytes', Buffer.from([0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0])],
  ['a masked frame', Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x61])],
])(
  '[CHAN-9] %s ends the connection',
  async (_what, frame) => {
    const folder = mkdtempSync(`${tmpdir()}/spool-socket-`);
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (bytes: Buffer) => {
        const key = /Sec-WebSocket-Key: (\S+)/.exec(bytes.toString())![1]!;
        const accept = createHash('sha1').update(`${key}${SALT}`).digest('base64');
        socket.write(`HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
        socket.write(frame);
      });
    }).listen(`${folder}/s`);
    await once(server, 'listening');
    const closed = Promise.withResolvers<string>();
    await connectWebSocket(`${folder}/s`, { onMessage() {}, onClosed: closed.resolve });
    expect(await closed.promise).toContain('not allowed');
    server.close();
    rmSync(folder, { recursive: true });
  },
  10_000,
);
