import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { STRING_BYTES_MAX } from '../scan/escape-scanner.ts';
import { OutputFollower } from '../state/output-follower.ts';
import { LineText } from '../text/text.ts';
import { bytes, concat, text } from '../testing/cuts.ts';
import { recordings } from '../testing/recordings.ts';
import { TypedInput } from './typed-input.ts';
import { ViewerFilter } from './viewer-filter.ts';

const MIB = 1024 * 1024;

describe('whatever programs print', () => {
  test('[ATT-8] noise and damaged recordings: nothing throws, nothing is held beyond its limit', () => {
    const all = recordings();
    const follower = new OutputFollower({});
    const filter = new ViewerFilter({
      input: true,
      allowGraphics: true,
      allowClipboard: true,
      allowColours: true,
      allowMarks: true,
    });
    const lines = new LineText();
    const typed = new TypedInput([]);
    const feed = (chunk: Uint8Array): void => {
      follower.feed(chunk);
      lines.feed(chunk);
      typed.feed(chunk);
      expect(filter.feed(chunk).length).toBeLessThan(6 * chunk.length + 2 * STRING_BYTES_MAX);
      expect(follower.pending.length).toBeLessThanOrEqual(STRING_BYTES_MAX + 1);
    };
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 30 }),
        fc.uint8Array({ maxLength: 300 }),
        (which, at, damage, noise) => {
          const { bytes: whole } = all[which % all.length]!;
          const piece = whole.slice(at % whole.length, (at % whole.length) + 3000);
          for (const [place, value] of damage) piece[place % piece.length] = value;
          feed(piece);
          feed(noise);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('[ATT-5] a caller may read into the same buffer again and again', () => {
    const input = bytes('aé漢😀\x1b[31mx\x1b]2;tïtle\x07\x1b[?1049h\x1b]7501;state=idle\x1b\\\u009b1mz\n');
    for (let size = 1; size < 9; size++) {
      const told: unknown[] = [];
      const shown: Uint8Array[] = [];
      const follower = new OutputFollower({ onOscEvent: (fact) => told.push(fact) });
      const filter = new ViewerFilter({});
      const reader = new LineText();
      const typed = new TypedInput();
      const whole: unknown[] = [];
      new OutputFollower({ onOscEvent: (fact) => whole.push(fact) }).feed(input);
      const buffer = Buffer.alloc(size);
      const lines: unknown[] = [];
      const keys: Uint8Array[] = [];
      for (let at = 0; at < input.length; at += size) {
        const chunk = buffer.subarray(0, Math.min(size, input.length - at));
        chunk.set(input.subarray(at, at + size));
        follower.feed(chunk);
        shown.push(Uint8Array.from(filter.feed(chunk)));
        lines.push(...reader.feed(chunk).map((line) => line.text));
        for (const piece of typed.feed(chunk)) if (piece.type === 'keys') keys.push(piece.bytes);
        chunk.fill(0x3f);
      }
      expect(told).toEqual(whole);
      expect(text(concat(shown))).toBe('aé漢😀\x1b[31mx\x1b]2;tïtle\x07\x1b[?1049h\x1b[1mz\n');
      expect(lines).toEqual(['aé漢😀x', 'z']);
      expect(text(concat(keys))).toBe('aé漢😀\x1b[31mx\x1b[?1049h\u009b1mz\n');
    }
  });

  test.each(['\x1b]0;', '\x1bP', '\x1bPq', '\x1b_G', '\x1b^', '\x1bX', '\x1b[', '\x1b(', '\x1b]52;c;'])(
    'what begins with %j and does not end costs no memory, and what comes after its end is shown',
    (opening) => {
      const follower = new OutputFollower({});
      const filter = new ViewerFilter({ allowGraphics: true });
      const part = new Uint8Array(MIB).fill(opening === '\x1b(' ? 0x20 : 0x31);
      const before = process.memoryUsage();
      for (const chunk of [bytes(opening), ...Array<Uint8Array>(32).fill(part)]) {
        follower.feed(chunk);
        filter.feed(chunk);
      }
      const after = process.memoryUsage();
      expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(16 * MIB);
      const end = text(filter.feed(bytes('\x1b\\after')));
      expect(end === 'after' || (opening === '\x1bPq' && end === '\x1b\\after')).toBe(true);
    },
  );
});
