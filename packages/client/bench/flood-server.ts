/** Serves one endless session as fast as the client reads it: `node flood-server.ts SOCKET BYTES FRAME_BYTES`. */
import { createServer } from 'node:net';
import { decodeJson, encodeHeader, encodeJson, FrameReader, FrameType, PROTOCOL_VERSION } from '@spool/protocol';

const [, , path, bytesText, frameText] = process.argv;
const total = Number(bytesText);
const payload = new Uint8Array(Number(frameText)).fill(120);

createServer((socket) => {
  const reader = new FrameReader();
  let cursor = 0;
  let credit = 0;
  let channel = 0;
  const pump = (): void => {
    while (cursor < total && cursor < credit && socket.writableLength < 256 * 1024) {
      const bytes = Math.min(payload.length, credit - cursor, total - cursor);
      socket.cork();
      socket.write(encodeHeader(FrameType.output, 0, channel, cursor, bytes));
      socket.write(payload.subarray(0, bytes));
      socket.uncork();
      cursor += bytes;
      if (cursor !== total) continue;
      socket.write(
        encodeJson(FrameType.event, channel, {
          type: 'exit',
          offset: total,
          state: 'exited',
          exitCode: 0,
          signal: null,
        }),
      );
    }
  };
  socket.on('drain', pump);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    reader.push(chunk, (frame) => {
      if (frame.type === FrameType.hello) {
        socket.write(encodeJson(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: 'flood' }));
      } else if (frame.type === FrameType.credit) {
        credit = frame.offset;
      } else if (frame.type === FrameType.input) {
        socket.write(encodeJson(FrameType.reply, frame.channel, {}));
      } else {
        const { op, creditBytes } = decodeJson(frame.payload) as { op: string; creditBytes: number };
        if (op === 'watch') {
          cursor = 0;
          credit = creditBytes;
          channel = frame.channel;
        }
        socket.write(encodeJson(FrameType.reply, frame.channel, { id: 'flood', from: 0, offset: total }));
      }
      pump();
    });
  });
}).listen(path, () => process.send?.('listening'));
