import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { expect, test, vi } from 'vitest';
import type { Authenticator } from '../auth/authenticator.ts';
import type { MachineKey } from './machine-key.ts';
import { FRAMES_PATH, ROLE_HEADER, USER_HEADER } from './node-link.ts';
import { serveMachine } from './node-server.ts';

const SETTINGS = 4;
const HEADERS = 1;
const RST_STREAM = 3;
const END_HEADERS = 4;

/** Returns a frame of HTTP/2. A client library would not send these, or not together. */
function frame(type: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

function headers(stream: number): Buffer {
  const fields = [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':authority', 'node'],
    [':path', FRAMES_PATH],
    [USER_HEADER, 'alice'],
    [ROLE_HEADER, 'owner'],
  ];
  const texts = fields.map((field) => field.flatMap((text) => [text.length, ...Buffer.from(text)]));
  return frame(HEADERS, END_HEADERS, stream, Buffer.from(texts.flatMap((bytes) => [0, ...bytes])));
}

test('[NODE-4] a stream that is reset as soon as it is opened is no fault of the gateway, and the link goes on', async () => {
  const [near, far] = duplexPair();
  const granted = vi.fn(() => null); // its rights were revoked, so a stream is refused
  const closed = vi.fn();
  const services = { authenticator: {} as Authenticator, key: {} as MachineKey };
  const end = serveMachine(near, { name: 'laptop', granted }, services, closed);
  const resets = [1, 3, 5].flatMap((stream) => [headers(stream), frame(RST_STREAM, 0, stream, Buffer.alloc(4))]);
  far.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(SETTINGS, 0, 0), ...resets]));
  far.write(headers(7));
  const answer = Buffer.from([HEADERS, END_HEADERS + 1, 0, 0, 0, 7]);
  let got = Buffer.alloc(0);
  far.on('data', (bytes: Buffer) => (got = Buffer.concat([got, bytes])));
  await vi.waitFor(() => expect(got.includes(answer)).toBe(true), 20_000);
  expect([granted.mock.calls.length, closed.mock.calls.length]).toEqual([1, 0]);
  end();
  await once(near, 'close');
});
