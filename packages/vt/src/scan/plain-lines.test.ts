import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LineEnds, plainLineEnds } from './plain-lines.ts';

const CR = 13;
const LF = 10;

function byRules(bytes: Uint8Array, before: number): LineEnds {
  const text = String.fromCharCode(...bytes);
  const whole = (before === CR ? '\r' : '') + text;
  if (/[^\x20-\x7e\r\n]|\r[^\n]/.test(whole)) return 'no';
  return /(^|[^\r])\n/.test(whole) ? 'lf' : 'crlf';
}

test('lines are plain by the same rules at any place in memory', () => {
  const byte = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(0x20, 0x41, 0x7e) },
    { weight: 2, arbitrary: fc.constantFrom(CR, LF) },
    { weight: 1, arbitrary: fc.nat(255) },
  );
  const pieces = fc.array(
    fc.oneof({ weight: 5, arbitrary: fc.constant([0x61, CR, LF]) }, fc.array(byte, { maxLength: 9 })),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(pieces, fc.nat(3), fc.constantFrom(CR, LF, 0x41), (parts, shift, before) => {
      const data = Uint8Array.from(parts.flat());
      const memory = new Uint8Array(data.length + 8);
      memory.set(data, shift);
      expect(plainLineEnds(memory.subarray(shift, shift + data.length), before)).toBe(byRules(data, before));
    }),
    { numRuns: 5000 },
  );
});
