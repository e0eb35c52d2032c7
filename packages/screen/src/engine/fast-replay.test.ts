/**
 * Tests that stored output is drawn only as far as it is still visible: the cells, the lines above, pen and modes are the same as
 * if all had been drawn.
 */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { difference } from '../testing/difference.ts';
import { FastReplay } from './fast-replay.ts';
import { ScreenModel } from './screen-model.ts';

vi.setConfig({ testTimeout: 120_000 });

const words = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: fc.constantFrom(...'abc -='), maxLength: 30 }) },
  { weight: 2, arbitrary: fc.constantFrom('\t', 'a\tb\tc', 'x'.repeat(20), 'y'.repeat(19), 'z'.repeat(120)) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('\x1b[31m', '\x1b[0m', '\x1b[44m', '\x1b[38;2;1;2;3m', '\x1b[4:3m', '\x1b[m', '\x1b[7m'),
  },
  { weight: 2, arbitrary: fc.constantFrom('漢字', 'é', 'e\u0301', '👩‍👩‍👧', '\u0301', 'ü'.repeat(30), '語'.repeat(13)) },
  { weight: 1, arbitrary: fc.constantFrom('10%\r50%', '\rover', 'over\r', '漢字\rab') },
);
const RARE = [
  '\x1b[A', '\x1b[2A\rchanged', '\x1b[H', '\x1b[2J', '\x1b[3J', '\x1b[K', '\b\b', '\n', '\x1b[?1049hfull', '\x1b[?1049l', '\x1b[2;4r', '\x1b[r',
  '\x1b(0', '\x1b(B', '\x0e', '\x0f', '\x1bH', '\x1b[3g', '\x1b[4h', '\x1b[4l', '\x1b[?7l', '\x1b[?7h', '\x1b[20h', '\x1bc', '\x1b[?6h', '\x1b[?5h',
  '\x1b]0;title\x07', '\x1b[', '\x9b', '\u009b2A', '\u009b4h', '\u009b4;6r', '\u009b45m', '\x1b[4;6r', '\u0085', '\xff', '\x07', '\x1bM', '\x1b[38;5', '\x1b]8;;http://a\x1b\\', '\x1b7', '\x1b8', '\x1b[5;3Hthere',
]; // prettier-ignore
const line = fc.array(words, { maxLength: 4 }).map((parts) => `${parts.join('')}\r\n`);
const lines = fc.array(line, { minLength: 1, maxLength: 80 }).map((some) => some.join(''));
const history = fc
  .array(fc.oneof({ weight: 8, arbitrary: lines }, { weight: 2, arbitrary: fc.constantFrom(...RARE) }), {
    minLength: 1,
    maxLength: 10,
  })
  .map((parts) => Buffer.from(parts.join(''), 'utf8'));
type Cut = readonly [at: number, resize: { readonly cols: number; readonly rows: number } | null];
const cuts: fc.Arbitrary<Cut[]> = fc.array(
  fc.tuple(fc.nat(6000), fc.constantFrom(null, null, null, { cols: 31, rows: 4 }, { cols: 12, rows: 9 })),
  { maxLength: 30 },
);

interface Sink {
  write(bytes: Uint8Array): void;
  resize(cols: number, rows: number): void;
}

function play(bytes: Uint8Array, at: readonly Cut[], sink: Sink): void {
  let from = 0;
  for (const [cut, resize] of [...at].sort(([one], [other]) => one - other)) {
    const to = Math.min(cut, bytes.length);
    if (to > from) sink.write(bytes.subarray(from, to));
    if (resize !== null) sink.resize(resize.cols, resize.rows);
    from = Math.max(from, to);
  }
  sink.write(bytes.subarray(from));
}

/** Returns the first difference between a model that drew all bytes and one that used the fast replay. */
function compared(bytes: Uint8Array, at: readonly Cut[], cols: number, scrollback: number): string | undefined {
  using drawn = new ScreenModel({ cols, rows: 6 }, { scrollback });
  play(bytes, at, drawn);
  using model = new ScreenModel({ cols, rows: 6 }, { scrollback });
  const replay = new FastReplay(model);
  play(bytes, at, {
    write: (piece) => replay.write(piece),
    resize(width, height) {
      replay.settle();
      model.resize(width, height);
    },
  });
  replay.settle();
  expect([model.pending(), model.title]).toEqual([drawn.pending(), drawn.title]);
  return difference(drawn.engine.core, model.engine.core, { withHistory: true });
}

test('[PAST-10] whatever the history, its cuts and resizes, the end is the same cell by cell, with the lines above', () => {
  fc.assert(
    fc.property(history, cuts, fc.constantFrom(20, 13, 8), fc.constantFrom(0, 7), (bytes, at, cols, scrollback) => {
      expect(compared(bytes, at, cols, scrollback)).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

test.each(RARE)('[PAST-10] plain lines around %j', (sequence) => {
  const numbered = (from: number): string =>
    Array.from({ length: 60 }, (_, index) => `line ${from + index}\r\n`).join('');
  const before = Buffer.from(`${numbered(0)}half${sequence}`, 'utf8');
  const bytes = Buffer.concat([before, Buffer.from(numbered(100))]);
  const at = [before.length, ...Array.from({ length: 40 }, (_, index) => index * 97)].map((cut): Cut => [cut, null]);
  expect(compared(bytes, at, 20, 7)).toBeUndefined();
});

test('[PAST-10] of a plain log, only the last lines are drawn', () => {
  using model = new ScreenModel({ cols: 80, rows: 24 }, { scrollback: 100 });
  const replay = new FastReplay(model);
  const write = vi.spyOn(model, 'write');
  const piece = Buffer.from('a line of a build, \x1b[32mok\x1b[0m, that nobody reads again\r\n'.repeat(1000));
  for (let count = 0; count < 100; count++) replay.write(piece);
  replay.settle();
  const bytes = write.mock.calls.reduce((sum, [each]) => sum + each.length, 0);
  expect(bytes).toBeLessThan(100 * piece.length * 0.25);
  expect(model.plainLines().at(-2)).toBe('a line of a build, ok, that nobody reads again');
});
