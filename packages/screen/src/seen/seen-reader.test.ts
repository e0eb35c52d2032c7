import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ScreenModel } from '../engine/screen-model.ts';
import { recordings } from '../testing/recordings.ts';
import type { SeenItem } from './seen-item.ts';
import { SeenReader, type SeenReaderOptions } from './seen-reader.ts';

const SIZE = { cols: 40, rows: 6 };
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

/** Returns the items that are read from these pieces, a second apart: lines as they are, a screen in brackets. */
function seen(pieces: readonly string[], options: SeenReaderOptions = {}, size = SIZE): string[] {
  const found: string[] = [];
  using reader = new SeenReader(size, (item) => found.push(...words(item)), options);
  pieces.forEach((piece, at) => reader.write(bytes(piece), at * 1000));
  reader.end();
  return found;
}

const words = (item: SeenItem): string[] =>
  item.type === 'line' ? [item.isCut ? `${item.text}…` : item.text] : [`[${item.type}`, ...item.lines, ']'];

test('[PAST-1] lines in their last state: progress bars, spinners, erased and corrected text', () => {
  expect(seen(['one\r\n10%\r50%\r', '100%\r\n', '\x1b[31mred\x1b[m\r\n'])).toEqual(['one', '100%', 'red']);
  expect(seen(['| work\r', '/ work\r', '\x1b[Kdone\r\n'])).toEqual(['done']);
  expect(seen(['typo\b\b\b\bgood  \r\nopen '])).toEqual(['good', 'open']);
});

test('[PAST-1] lines that are repainted from below appear once: several progress bars, an Ink program', () => {
  const frame = (at: number): string => `layer 1: ${at}%\r\nlayer 2: ${at}%\r\n`;
  expect(seen(['pull\r\n', frame(1), `\x1b[2A${frame(50)}`, `\x1b[2A${frame(100)}`, 'ok\r\n'])).toEqual([
    'pull',
    'layer 1: 100%',
    'layer 2: 100%',
    'ok',
  ]);
  const box = '\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[G';
  expect(seen(['> \r\n---\r\n', `${box}answer\r\n> \r\n---\r\n`, `${box}more\r\n> \r\n---\r\n`])).toEqual([
    'answer',
    'more',
    '>',
    '---',
  ]);
});

test('[PAST-1] a line that wraps is one line, also where a wide character did not fit the margin', () => {
  expect(seen(['a'.repeat(100)])).toEqual(['a'.repeat(100)]);
  expect(seen([`${'b'.repeat(39)}漢字\r\nnext`])).toEqual([`${'b'.repeat(39)}漢字`, 'next']);
  const long = 'c'.repeat(40 * 2000);
  expect(
    seen([`x\r\n${long}\r\ny`])
      .join('')
      .replaceAll('…', ''),
  ).toBe(`x${long}y`);
});

test('[PAST-1] the text of a plain program is its own lines, however it is cut and whatever the size', () => {
  const line = fc.string({ unit: fc.constantFrom(...'ab 漢é👩-'), maxLength: 120 }).map((text) => text.trimEnd());
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 60 }),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
      fc.integer({ min: 2, max: 50 }),
      fc.integer({ min: 1, max: 30 }),
      (lines, cuts, cols, rows) => {
        const found: string[] = [];
        using reader = new SeenReader({ cols, rows }, (item) => found.push(...words(item)));
        const all = bytes(`${lines.join('\r\n')}\r\n`);
        for (let at = 0, turn = 0; at < all.length; turn++) {
          const end = at + cuts[turn % cuts.length]!;
          reader.write(all.subarray(at, end), turn);
          at = end;
        }
        reader.end();
        let end = lines.length;
        while (end > 0 && lines[end - 1] === '') end--;
        expect(found).toEqual(lines.slice(0, end));
      },
    ),
    { numRuns: 300 },
  );
});

test('[PAST-1] thousands of lines come in order, and the memory for them is bounded', () => {
  const found: string[] = [];
  using reader = new SeenReader(SIZE, (item) => found.push(...words(item)));
  for (let at = 0; at < 40; at++)
    reader.write(bytes(Array.from({ length: 1000 }, (_, line) => `${at * 1000 + line}\r\n`).join('')), at);
  expect(reader.model.scrolledLines).toBeLessThan(5000);
  expect(found.length).toBeGreaterThan(25_000);
  reader.end();
  expect(found).toEqual(Array.from({ length: 40_000 }, (_, line) => String(line)));
});

test('[PAST-2] a full-screen program is one section in its place, with its last screen', () => {
  const enter = '\x1b[?1049h\x1b[H\x1b[2J';
  expect(seen(['$ vi\r\n', `${enter}first`, '\x1b[H\x1b[2Jsecond\r\n~', '\x1b[?1049l$ ls\r\nfile'])).toEqual([
    '$ vi',
    '[screen',
    'second',
    '~',
    ']',
    '$ ls',
    'file',
  ]);
  // Many programs erase their screen before they leave.
  expect(seen([`$ x${enter}`, 'menu\r\nitem', '\x1b[H\x1b[2J', '\x1b[?1049l\r\nafter'])).toEqual([
    '$ x',
    '[screen',
    'menu',
    'item',
    ']',
    'after',
  ]);
  // The program painted nothing, or is still running.
  expect(seen([`a\r\n${enter}`, '\x1b[?1049lb'])).toEqual(['a', 'b']);
  expect(seen(['a\r\n', `${enter}menu`])).toEqual(['a', '[screen', 'menu', ']']);
});

test('[PAST-2] frames: each screen at which the program paused', () => {
  const frames = seen(['\x1b[?1049h\x1b[Hone', '\x1b[Htwo', '\x1b[Hthree', '\x1b[?1049l'], { wantsFrames: true });
  expect(frames).toEqual(['[frame', 'one', ']', '[frame', 'two', ']', '[frame', 'three', ']', '[screen', 'three', ']']);
});

test('[PAST-1] what a user clears stays; what a program erases and prints again comes once', () => {
  expect(seen(['$ ls\r\nfile\r\n$ clear\r\n', '\x1b[H\x1b[2J\x1b[3J$ date\r\n', 'today\r\n'])).toEqual([
    '$ ls',
    'file',
    '$ clear',
    '$ date',
    'today',
  ]);
  const table = (load: number): string => `\x1b[H\x1b[Jload ${load}\r\nmemory ${load * 2} MB\r\n`;
  expect(seen(['$ stats\r\n', table(1), table(22), table(333)])).toEqual(['$ stats', 'load 333', 'memory 666 MB']);
  const transcript = ['hello', 'answer', 'question', 'more'];
  const again = transcript.map((_, count) => `\x1b[2J\x1b[3J\x1b[H${transcript.slice(0, count + 1).join('\r\n')}`);
  expect(seen(again)).toEqual(transcript);
});

test('[PAST-1] a reset terminal goes on', () => {
  expect(seen(['before\r\n', '\x1bcafter\r\n', 'more'])).toEqual(['before', 'after', 'more']);
});

test('[PAST-3] from the middle: what was on the screen is not given again, unless it changes', () => {
  const found: string[] = [];
  using reader = new SeenReader(SIZE, (item) => found.push(...words(item)));
  reader.begin(bytes('old\r\nbar 10%\r\n$ make'), 0);
  reader.write(bytes(' all\r\ncc\r\n\x1b[3A\r\x1b[Kbar 99%\x1b[3B\rend'), 1000);
  reader.end();
  expect(found).toEqual(['bar 99%', '$ make all', 'cc', 'end']);
});

test('times are those of the first character, and of the last change', () => {
  const found: [number, string][] = [];
  using reader = new SeenReader(SIZE, (item) => item.type === 'line' && found.push([item.at, item.text]), {
    wantsTimes: true,
  });
  reader.write(bytes('a\r\nbar 1\r\n'), 1000);
  reader.write(bytes('\x1b[1A\rbar 2\r\n'), 2000);
  reader.write(bytes('late\r\n'), 3000);
  reader.end();
  expect(found).toEqual([
    [1000, 'a'],
    [2000, 'bar 2'],
    [3000, 'late'],
  ]);
});

test('[PAST-4] live: a plain line is returned at once, repainted rows when they no longer change', () => {
  const found: string[] = [];
  const news = (): string[] => found.splice(0);
  using reader = new SeenReader(SIZE, (item) => found.push(...words(item)));
  reader.write(bytes('past\r\nopen'), 0);
  expect(news()).toEqual([]);
  reader.goLive();
  expect([news(), reader.open]).toEqual([['past'], 'open']);
  reader.write(bytes('ed\r\nnext\r\n'), 1);
  expect(news()).toEqual(['opened', 'next']);
  reader.write(bytes('one 1\r\ntwo 1\r\n'), 2);
  reader.write(bytes('\x1b[2Aone 2\r\ntwo 2\r\n'), 3);
  news();
  reader.write(bytes('\x1b[2Aone 3\r\ntwo 3\r\n'), 4);
  expect([news(), reader.isMoving]).toEqual([[], true]);
  reader.settle();
  expect([news(), reader.isMoving]).toEqual([['one 3', 'two 3'], false]);
  reader.write(bytes('\x1b[?1049h\x1b[Hmenu'), 5);
  expect(news()).toEqual([]);
  reader.write(bytes('\x1b[?1049l$ '), 6);
  expect([news(), reader.open]).toEqual([['[screen', 'menu', ']'], '$ ']);
  reader.end();
  expect(news()).toEqual(['$']);
});

test('[PAST-4] live: a transcript that is erased and printed again is not printed again', () => {
  const found: string[] = [];
  using reader = new SeenReader(SIZE, (item) => found.push(...words(item)));
  reader.goLive();
  reader.write(bytes('one\r\ntwo\r\n'), 0);
  reader.write(bytes('\x1b[2J\x1b[3J\x1b[Hone\r\ntwo\r\nthree\r\n'), 10);
  reader.settle();
  expect(found).toEqual(['one', 'two', 'three']);
});

test.each(recordings().map((stream) => [stream.name, stream] as const))(
  '[PAST-2] %s: the text ends with the last screen, and no line of the history is lost',
  (_, { cols, rows, bytes: all, resizes }) => {
    const found: SeenItem[] = [];
    using reader = new SeenReader({ cols, rows }, (item) => found.push(item));
    using model = new ScreenModel({ cols, rows }, { scrollback: 100_000 });
    let at = 0;
    for (const { at: to, ...size } of [...resizes, { at: all.length, cols: 0, rows: 0 }]) {
      for (; at < to; at += Math.min(777, to - at)) {
        reader.write(all.subarray(at, Math.min(to, at + 777)), at);
        model.write(all.subarray(at, Math.min(to, at + 777)));
      }
      if (size.cols === 0) break;
      reader.resize(size.cols, size.rows, at);
      model.resize(size.cols, size.rows);
    }
    const screen = model.text();
    const isAlternate = model.isAlternate;
    expect(reader.model.text()).toEqual(screen);
    reader.end();
    const last = found.at(-1);
    const shown = screen.filter((line) => line.trim() !== '');
    if (isAlternate) {
      expect(last).toMatchObject({ type: 'screen', isOver: false });
      expect((last?.type === 'screen' ? last.lines : []).filter((line) => line.trim() !== '')).toEqual(shown);
    } else {
      const text = found.flatMap((item) => (item.type === 'line' ? [item.text] : [])).join('');
      const squeezed = text.replaceAll(/\s/g, '');
      expect(squeezed.endsWith(shown.join('').replaceAll(/\s/g, ''))).toBe(true);
      const history = model.lines(-model.historyLength, 0).map(({ runs }) => runs.map((run) => run.text).join(''));
      for (const line of history) expect(squeezed).toContain(line.replaceAll(/\s/g, ''));
    }
  },
);

/** Returns the lines above the screen and on it, read up to each of these places in turn; and the same read at once. */
function aboveAndScreen(pieces: readonly string[], size = SIZE): { inTurn: string[]; atOnce: string[] } {
  const inTurn: string[] = [];
  using reader = new SeenReader(size, (item) => inTurn.push(...words(item)));
  pieces.forEach((piece, at) => {
    reader.write(bytes(piece), at * 1000);
    reader.giveAbove();
  });
  inTurn.push(...reader.model.text());
  while (inTurn.at(-1) === '') inTurn.pop();
  return { inTurn, atOnce: seen(pieces, {}, size) };
}

test('[PAST-7] the lines above the screen and the screen are everything, each line once, wherever reading stops', () => {
  const line = fc.string({ unit: fc.constantFrom(...'ab漢é-'), maxLength: 39 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), fc.array(fc.nat(), { maxLength: 5 }), (lines, cuts) => {
      const text = lines.map((each, at) => (each === '' ? '' : `${at} ${each}`.slice(0, 20)) + '\r\n').join('');
      const places = [...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((one, other) => one - other);
      const pieces = places.map((place, at) => text.slice(places[at - 1] ?? 0, place));
      const { inTurn, atOnce } = aboveAndScreen(pieces);
      expect(inTurn).toEqual(atOnce);
    }),
  );
});

test('[PAST-7] above the screen: what was cleared stays, what is printed again comes once, a program that has left is told', () => {
  const many = Array.from({ length: 8 }, (_, at) => `line ${'abcdefgh'[at]}\r\n`).join('');
  const lines = many.trim().split('\r\n');
  // A user's `clear`: all eight are above the new screen.
  expect(aboveAndScreen([many, '\x1b[H\x1b[2Jnew']).inTurn).toEqual([...lines, 'new']);
  const given: string[] = [];
  using again = new SeenReader(SIZE, (item) => given.push(...words(item)));
  again.write(bytes(`${many}\x1b[H\x1b[2J${many}`), 0);
  again.giveAbove();
  expect([...given, ...again.model.text()].filter(Boolean)).toEqual(lines);
  // A line that began above the screen is cut where the screen begins.
  expect(aboveAndScreen([`${'x'.repeat(40 * 6)}y\r\nz`]).inTurn.slice(0, 2)).toEqual([
    `${'x'.repeat(80)}…`,
    'x'.repeat(40),
  ]);
  const editor = ['before\r\n', '\x1b[?1049h\x1b[Hedited', '\x1b[?1049lafter'];
  expect(aboveAndScreen(editor).inTurn).toEqual(['[screen', 'edited', ']', 'before', 'after']);
  // The running program is the screen; the lines under it are returned on request.
  const covered: string[] = [];
  using reader = new SeenReader(SIZE, (item) => covered.push(...words(item)));
  reader.write(bytes('before\r\n\x1b[?1049hedited'), 0);
  reader.giveAbove();
  expect(covered).toEqual([]);
  reader.giveAbove({ isCovered: true });
  expect(covered).toEqual(['before']);
});
