import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MessageMeter } from './message-meter.ts';

interface MadeFrame {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly isMasked: boolean;
  readonly bytes: number;
}

function wire({ opcode, isFinal, isMasked, bytes }: MadeFrame): Buffer {
  const head = Buffer.alloc(bytes < 126 ? 2 : bytes < 65_536 ? 4 : 10);
  head[0] = (isFinal ? 0x80 : 0) | opcode;
  head[1] = (isMasked ? 0x80 : 0) | (bytes < 126 ? bytes : bytes < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(bytes, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(bytes), 2);
  return Buffer.concat([head, Buffer.alloc((isMasked ? 4 : 0) + bytes, 0x81)]);
}

const PING: MadeFrame = { opcode: 9, isFinal: true, isMasked: true, bytes: 100 };

test('[DOOR-26] after whole messages nothing is unfinished, however they were cut and whatever came in between', () => {
  const frame = fc.record({
    opcode: fc.constantFrom(1, 2, 9, 10),
    isFinal: fc.constant(true),
    isMasked: fc.boolean(),
    bytes: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constantFrom(65_535, 65_536, 200_000)),
  });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.integer({ min: 1, max: 5000 })), (frames, cuts) => {
      const parts = frames.flatMap((one) =>
        one.opcode < 8 ? [wire({ ...one, isFinal: false }), wire(PING), wire({ ...one, opcode: 0 })] : [wire(one)],
      );
      const meter = new MessageMeter();
      let rest = Buffer.concat(parts);
      for (const cut of [...cuts, Infinity]) {
        meter.take(rest.subarray(0, cut));
        rest = rest.subarray(cut);
      }
      expect(meter.unfinishedBytes).toBe(0);
    }),
  );
});

test('[DOOR-26] half a frame, parts without an end and single bytes count, and a ping takes nothing of it back', () => {
  const meter = new MessageMeter();
  const big = wire({ opcode: 2, isFinal: true, isMasked: true, bytes: 1_000_000 });
  meter.take(big.subarray(0, 400_000));
  expect(meter.unfinishedBytes).toBeGreaterThanOrEqual(400_000);
  meter.take(big.subarray(400_000));
  expect(meter.unfinishedBytes).toBe(0);
  meter.take(wire({ opcode: 2, isFinal: false, isMasked: true, bytes: 300_000 }));
  meter.take(wire(PING));
  meter.take(wire({ opcode: 0, isFinal: false, isMasked: true, bytes: 300_000 }));
  expect(meter.unfinishedBytes).toBeGreaterThanOrEqual(600_000);
  meter.take(wire({ opcode: 0, isFinal: true, isMasked: true, bytes: 1 }));
  expect(meter.unfinishedBytes).toBe(0);
  for (const byte of big.subarray(0, 1000)) meter.take(Uint8Array.of(byte));
  expect(meter.unfinishedBytes).toBeGreaterThanOrEqual(500_000); // a byte in a separate packet costs more than a byte
});
