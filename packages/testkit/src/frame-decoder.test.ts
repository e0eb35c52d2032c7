import { encodeFrame, type Frame, FrameReader, FrameType, payloadBytesMax, SpoolError } from '@spool/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DecodedFrames, decodeFrames } from './frame-decoder.ts';

const types = fc.constantFrom(...Object.values(FrameType));
const channels = fc.integer({ min: 0, max: 0xffff_ffff });
const offsets = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1));

const frames = fc
  .record({
    type: types,
    channel: channels,
    offset: offsets,
    flags: fc.integer({ min: 0, max: 255 }),
    payload: fc.uint8Array({ maxLength: 300 }),
  })
  .map(({ type, channel, offset, flags, payload }) =>
    encodeFrame(type, channel, type === FrameType.credit ? undefined : payload, offset, flags),
  );

test('[WIRE-1] two independent readers find the same in every sequence of frames', () => {
  fc.assert(
    fc.property(fc.array(frames, { maxLength: 20 }), fc.nat(40), (sequence, cut) => {
      const bytes = Buffer.concat(sequence);
      // The stream may end in the middle of a frame.
      const part = bytes.subarray(0, Math.max(0, bytes.length - cut));
      expect(read(part)).toEqual(decodeFrames(part.toString('hex')));
    }),
  );
});

test('[WIRE-2] two independent readers find the same in noise, and stop at the same byte', () => {
  const almost = fc.tuple(fc.uint8Array({ minLength: 4, maxLength: 4 }), types, fc.uint8Array({ maxLength: 60 }));
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    almost.map(([length, type, rest]) => Uint8Array.of(0, 0, length[2]! & 1, length[3]!, type, ...rest)),
  );
  fc.assert(
    fc.property(fc.array(frames, { maxLength: 3 }), noise, (sequence, tail) => {
      const bytes = Buffer.concat([...sequence, tail]);
      expect(read(bytes)).toEqual(decodeFrames(bytes.toString('hex')));
    }),
  );
});

/** Returns the result of `FrameReader`, in the other decoder's format. */
function read(bytes: Buffer): DecodedFrames {
  const found: Frame[] = [];
  const names = new Map<number, string>(Object.entries(FrameType).map(([name, type]) => [type, name]));
  let fault: DecodedFrames['fault'] = null;
  try {
    new FrameReader().push(bytes, (frame) => found.push(frame));
  } catch (error) {
    if (!SpoolError.is(error)) throw error;
    const words = { FRAME_UNKNOWN: 'unknown type', FRAME_TOO_LARGE: 'too large', FRAME_INVALID: 'offset' } as const;
    fault = words[error.code as keyof typeof words];
  }
  const frames = found.map(({ type, flags, channel, offset, payload }) => ({
    type: names.get(type)!,
    flags,
    channel,
    offset: BigInt(offset),
    payload: Buffer.from(payload).toString('hex'),
  }));
  const taken = found.reduce((sum, { payload }) => sum + 20 + payload.length, 0);
  return { frames, rest: bytes.subarray(taken).toString('hex'), fault };
}

test('the limits of both are the same', () => {
  for (const type of Object.values(FrameType)) {
    const header = (bytes: number): string =>
      `${bytes.toString(16).padStart(8, '0')}${type.toString(16).padStart(2, '0')}000000`.padEnd(40, '0');
    const most = payloadBytesMax(type)!;
    expect([decodeFrames(header(most)).fault, decodeFrames(header(most + 1)).fault]).toEqual([null, 'too large']);
  }
});
