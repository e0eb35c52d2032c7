import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SpoolError } from './errors.ts';
import {
  CONTROL_BYTES_MAX,
  encodeFrame,
  encodeFrames,
  encodeHeader,
  type Frame,
  FrameFlag,
  FrameJoiner,
  FrameReader,
  FrameType,
  HEADER_BYTES,
  INPUT_BYTES_MAX,
  JOINED_BYTES_MAX,
  OUTPUT_BYTES_MAX,
  payloadBytesMax,
} from './frame.ts';
import { encodeInput, encodeJson } from './json.ts';

const text = (words: string): Uint8Array => new TextEncoder().encode(words);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytesOf = (digits: string): Uint8Array => Buffer.from(digits.replaceAll(' ', ''), 'hex');

/** One frame of each type with its bytes on the wire: length, type, flags, zero, channel, offset, payload. */
const GOLDEN: readonly (readonly [what: string, frame: Uint8Array, wire: string])[] = [
  [
    'hello',
    encodeJson(FrameType.hello, 0, { protocol: 1, version: '0.1.0' }),
    '00000020 01 00 0000 00000000 0000000000000000 7b2270726f746f636f6c223a312c2276657273696f6e223a22302e312e30227d',
  ],
  [
    'request',
    encodeJson(FrameType.request, 1, { op: 'list' }),
    '0000000d 02 00 0000 00000001 0000000000000000 7b226f70223a226c697374227d',
  ],
  ['reply', encodeJson(FrameType.reply, 1, {}), '00000002 03 00 0000 00000001 0000000000000000 7b7d'],
  [
    'error',
    encodeJson(FrameType.error, 0xffff_ffff, { code: 'TOO_MANY', details: {} }),
    '00000020 04 00 0000 ffffffff 0000000000000000 7b22636f6465223a22544f4f5f4d414e59222c2264657461696c73223a7b7d7d',
  ],
  [
    'event',
    encodeJson(FrameType.event, 2, { type: 'removed' }),
    '00000012 05 00 0000 00000002 0000000000000000 7b2274797065223a2272656d6f766564227d',
  ],
  [
    'output',
    encodeFrame(FrameType.output, 2, text('hé\x1b'), 0x1_0000_0001),
    '00000004 10 00 0000 00000002 0000000100000001 68c3a91b',
  ],
  [
    'output from stderr',
    encodeFrame(FrameType.output, 2, text('!'), 7, FrameFlag.stderr),
    '00000001 10 01 0000 00000002 0000000000000007 21',
  ],
  [
    'input',
    encodeFrame(FrameType.input, 3, encodeInput('web', text('ls\r'))),
    '00000007 11 00 0000 00000003 0000000000000000 03776562 6c730d',
  ],
  [
    'credit',
    encodeFrame(FrameType.credit, 2, undefined, Number.MAX_SAFE_INTEGER),
    '00000000 12 00 0000 00000002 001fffffffffffff',
  ],
  [
    'snapshot',
    encodeFrame(FrameType.snapshot, 7, new Uint8Array([0x1b, 0x5b, 0x48]), 0x1_0000_0002),
    '00000003 13 00 0000 00000007 0000000100000002 1b5b48',
  ],
  ['typed', encodeFrame(FrameType.typed, 7, undefined, 0x1_0000_0003), '00000000 14 00 0000 00000007 0000000100000003'],
];

test.each(GOLDEN)('[WIRE-1] %s has its golden bytes', (_what, frame, wire) =>
  expect(hex(frame)).toBe(wire.replaceAll(' ', '')),
);

test('there are golden bytes for every type', () => {
  expect(new Set(GOLDEN.map(([, frame]) => frame[4]))).toEqual(new Set(Object.values(FrameType)));
});

test('a header made alone is the one that a whole frame begins with', () => {
  const frame = encodeFrame(FrameType.output, 9, text('abc'), 2 ** 40 + 5, 1);
  expect(encodeHeader(FrameType.output, 1, 9, 2 ** 40 + 5, 3)).toEqual(frame.subarray(0, HEADER_BYTES));
});

test('[WIRE-1] any chunking gives the same frames', () => {
  const stream = Buffer.concat(GOLDEN.map(([, frame]) => frame));
  const whole = read([stream]);
  expect(whole).toHaveLength(GOLDEN.length);
  for (let cut = 0; cut <= stream.length; cut++)
    expect(read([stream.subarray(0, cut), stream.subarray(cut)])).toEqual(whole);
  expect(read(Array.from(stream, (byte) => Uint8Array.of(byte)))).toEqual(whole);
});

test('any frames in any chunking come out as they went in', () => {
  const frame = fc.record({
    type: fc.constantFrom(FrameType.request, FrameType.output, FrameType.event),
    channel: fc.integer({ min: 0, max: 0xffff_ffff }),
    offset: fc.maxSafeNat(),
    flags: fc.nat(255),
    payload: fc.uint8Array({ maxLength: 200 }).map((bytes) => hex(bytes)),
  });
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 12 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 300 })),
      (frames, lengths) => {
        const stream = Buffer.concat(
          frames.map(({ type, channel, offset, flags, payload }) =>
            encodeFrame(type, channel, bytesOf(payload), offset, flags),
          ),
        );
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < stream.length; at += chunks.at(-1)!.length) {
          chunks.push(stream.subarray(at, at + lengths.next().value!));
        }
        expect(read(chunks)).toEqual(frames);
      },
    ),
  );
});

test('a payload that lies whole in a chunk is not copied', () => {
  const chunk = encodeFrame(FrameType.output, 1, text('here'));
  new FrameReader().push(chunk, ({ payload }) => expect(payload.buffer).toBe(chunk.buffer));
  expect.assertions(1);
});

/** Returns twenty bytes with an invalid header. */
const header = (bytes: number, type: number, offset = '0000000000000000'): Uint8Array =>
  bytesOf(`${bytes.toString(16).padStart(8, '0')} ${type.toString(16).padStart(2, '0')} 00 0000 00000001 ${offset}`);

test.each<readonly [what: string, bytes: Uint8Array, code: string]>([
  ['type 0', header(0, 0), 'FRAME_UNKNOWN'],
  ['type 6', header(0, 6), 'FRAME_UNKNOWN'],
  ['type 255', header(0, 255), 'FRAME_UNKNOWN'],
  ['HTTP', text('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'), 'FRAME_UNKNOWN'],
  ['noise', new Uint8Array(64).fill(0xff), 'FRAME_UNKNOWN'],
  ...Object.entries(FrameType).map(
    ([name, type]) =>
      [`${name}, a byte too long`, header(payloadBytesMax(type)! + 1, type), 'FRAME_TOO_LARGE'] as const,
  ),
  ['a request of 4 GiB', header(0xffff_ffff, FrameType.request), 'FRAME_TOO_LARGE'],
  ['an offset of 2^53', header(0, FrameType.credit, '0020000000000000'), 'FRAME_INVALID'],
  ['an offset of 2^64 - 1', header(0, FrameType.credit, 'ffffffffffffffff'), 'FRAME_INVALID'],
])('[WIRE-2] %s is refused as soon as its header is there', (_what, bytes, code) => {
  const reader = new FrameReader();
  const take = (): void => expect.unreachable();
  reader.push(bytes.subarray(0, HEADER_BYTES - 1), take);
  expect(() => reader.push(bytes.subarray(HEADER_BYTES - 1), take)).toThrow(
    expect.objectContaining({ name: 'SpoolError', code }),
  );
});

test('a broken frame does not take back the good ones before it', () => {
  const seen: Frame[] = [];
  const chunk = Buffer.concat([encodeFrame(FrameType.event, 1, text('{}')), header(0, 99)]);
  expect(() => new FrameReader().push(chunk, (frame) => seen.push(frame))).toThrow(SpoolError);
  expect(seen.map(({ channel }) => channel)).toEqual([1]);
});

test('[WIRE-2] half a frame keeps only the room that its type allows, however it dribbles in', () => {
  const before = process.memoryUsage().arrayBuffers;
  const readers = Array.from({ length: 50 }, () => new FrameReader());
  for (const reader of readers) {
    reader.push(header(OUTPUT_BYTES_MAX, FrameType.output), () => expect.unreachable());
    for (let at = 0; at < 1000; at++) reader.push(new Uint8Array(60), () => expect.unreachable());
  }
  const perReader = (process.memoryUsage().arrayBuffers - before) / readers.length;
  expect(perReader).toBeLessThan(OUTPUT_BYTES_MAX + 70_000); // the frame, and garbage that is not collected yet
});

test('the largest input fits its frame together with the longest name', () => {
  const payload = encodeInput('n'.repeat(255), new Uint8Array(INPUT_BYTES_MAX));
  expect(payload.length).toBe(payloadBytesMax(FrameType.input));
  expect(read([encodeFrame(FrameType.input, 1, payload)])).toHaveLength(1);
});

test('[WIRE-2] what is larger than a frame goes in several and is put together again, beside other channels', () => {
  const large = Uint8Array.from({ length: 2 * CONTROL_BYTES_MAX + 5 }, (_, at) => at % 251);
  const small = text('small');
  const [first, ...rest] = encodeFrames(FrameType.snapshot, 7, large, 99);
  const frames = [
    first!,
    ...encodeFrames(FrameType.reply, 8, small),
    ...rest,
    ...encodeFrames(FrameType.reply, 9, new Uint8Array(0)),
  ];
  expect(frames).toHaveLength(5);
  const joiner = new FrameJoiner();
  const whole = framesOf(frames).flatMap((frame) => joiner.take(frame) ?? []);
  expect(whole.map(({ type, channel, offset, payload }) => [type, channel, offset, payload.length])).toEqual([
    [FrameType.reply, 8, 0, small.length],
    [FrameType.snapshot, 7, 99, large.length],
    [FrameType.reply, 9, 0, 0],
  ]);
  expect(Buffer.compare(whole[1]!.payload, large)).toBe(0);
});

test('[WIRE-2] what never ends is refused before it hurts', () => {
  const joiner = new FrameJoiner();
  const part = framesOf(encodeFrames(FrameType.reply, 1, new Uint8Array(2 * CONTROL_BYTES_MAX)).slice(0, 1))[0]!;
  expect(() => {
    for (let bytes = 0; bytes <= JOINED_BYTES_MAX; bytes += CONTROL_BYTES_MAX) joiner.take(part);
  }).toThrowError(expect.objectContaining({ code: 'FRAME_TOO_LARGE' }));
});

function read(chunks: readonly Uint8Array[]): unknown[] {
  const reader = new FrameReader();
  const frames: unknown[] = [];
  for (const chunk of chunks) {
    reader.push(chunk, ({ payload, ...frame }) => frames.push({ ...frame, payload: hex(payload) }));
  }
  return frames;
}

function framesOf(chunks: readonly Uint8Array[]): Frame[] {
  const reader = new FrameReader();
  const frames: Frame[] = [];
  for (const chunk of chunks) reader.push(chunk, (frame) => frames.push(frame));
  return frames;
}
