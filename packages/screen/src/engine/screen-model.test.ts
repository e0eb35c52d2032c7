import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LINKS_MAX } from './link-table.ts';
import { ScreenModel } from './screen-model.ts';

const SIZE = { cols: 10, rows: 4 };
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

function modelOf(text: string, size = SIZE): ScreenModel {
  const model = new ScreenModel(size);
  model.write(bytes(text));
  return model;
}

test('it shows what was printed, without trailing blanks', () => {
  const model = modelOf('one\r\n\x1b[31mtwo  \r\n漢字 e\u0301\x1b[4;3Hx');
  expect(model.text()).toEqual(['one', 'two', '漢字 e\u0301', '  x']);
  expect(model.cursor).toEqual({ row: 3, col: 3, isWrapPending: false, isVisible: true });
});

test('a cursor that waits at the margin says so', () => {
  expect(modelOf('a'.repeat(10)).cursor).toMatchObject({ row: 0, col: 9, isWrapPending: true });
});

test('the text of a long line in the rows above the cursor is known, with its blanks', () => {
  expect(modelOf('before\r\n12345678  next').textAboveCursor()).toBe('12345678  ');
  expect(modelOf('1234567890abcdefghijk').textAboveCursor()).toBe('1234567890abcdefghij');
  expect(modelOf('1234567890\r\nk').textAboveCursor()).toBe('');
});

test('both screens are followed', () => {
  const model = modelOf('shell\x1b[?1049h\x1b[Hprogram');
  expect([model.isAlternate, model.modes.alternate, model.text()[0]]).toEqual([true, 1049, 'program']);
  model.write(bytes('\x1b[?1049l'));
  expect([model.isAlternate, model.modes.alternate, model.text()[0]]).toEqual([false, 0, 'shell']);
});

test('lines above the screen have negative numbers', () => {
  const model = modelOf('1\r\n2\r\n3\r\n4\r\n5\r\n6');
  expect(model.historyLength).toBe(2);
  expect(model.lines(-2, 1).map(({ runs }) => runs[0]!.text)).toEqual(['1', '2', '3']);
  expect(model.lines(-99, 99)).toHaveLength(6);
});

test('[ATT-5] cuts: characters and sequences may be cut at any byte, even where xterm itself misreads', () => {
  const output = bytes('a — “b” • 漢\x1b[31mred\x1b]8;;http://x/\x1b\\link 👩\u200d💻');
  const whole = new ScreenModel({ cols: 40, rows: 4 });
  whole.write(output);
  const piecewise = new ScreenModel({ cols: 40, rows: 4 });
  for (const byte of output) piecewise.write(Uint8Array.of(byte));
  expect(piecewise.lines()).toEqual(whole.lines());
  expect(whole.text()[0]).toBe('a — “b” • 漢redlink 👩\u200d💻');
});

test('[ATT-5] cuts: `pending` has the unfinished bytes', () => {
  const pendingAfter = (text: string, end: number): string => {
    const model = new ScreenModel(SIZE);
    model.write(bytes(text).subarray(0, end));
    return Buffer.from(model.pending()).toString('latin1');
  };
  expect(pendingAfter('ab\x1b[31m', 5)).toBe('\x1b[3');
  expect(pendingAfter('ab—', 4)).toBe('\xe2\x80');
  expect(pendingAfter('ab', 2)).toBe('');
});

test('nothing makes it throw', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.uint8Array({ maxLength: 12 }), fc.constantFrom(...HOSTILE).map(bytes)), { maxLength: 40 }),
      fc.nat(30),
      fc.nat(12),
      (pieces, cols, rows) => {
        using model = new ScreenModel({ cols, rows });
        for (const piece of pieces) model.write(piece);
        model.resize(rows, cols);
        for (const piece of pieces) model.write(piece);
        return model.text().length === model.size.rows;
      },
    ),
    { numRuns: 150 },
  );
});

test('erasing above from the last cell of all erases, where xterm throws', () => {
  expect(modelOf('a\r\nb\x1b[4;9Hcd\x1b[1Jx').text()).toEqual(['', '', '', 'x']);
  expect(modelOf('a\r\nb\x1b[4;9Hcd\x1b[D\x1b[C\x1b[1Jx').text()).toEqual(['', '', '', '         x']);
});

test('a count of two thousand million does not hold it up', () => {
  const model = modelOf('');
  const start = process.cpuUsage();
  for (const final of 'ABCDEFGHIJKLMPSTXZ@`abdefg') model.write(bytes(`x\x1b[2147483647${final}`));
  model.write(bytes('\x1b[2147483647;2147483647H\x1b[2147483647 @\x1b[2147483647 A\x1b[1;2147483647r'));
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(500);
});

test('it answers nothing, whatever is asked', () => {
  const sent: string[] = [];
  const model = modelOf('');
  (
    model.engine.core as unknown as { coreService: { onData(listen: (data: string) => void): void } }
  ).coreService.onData((data) => sent.push(data));
  model.write(bytes('\x1b[c\x1b[6n\x1b[?2026$p\x1bP$qm\x1b\\'));
  // The engine would have answered a listener; only this test has one.
  expect(sent.length).toBeGreaterThan(0);
  expect(Object.getOwnPropertyNames(ScreenModel.prototype)).not.toContain('onData');
});

test('links that nothing shows any more are forgotten, those that are shown are not', () => {
  const model = modelOf('\x1b]8;;http://kept/\x1b\\kept\x1b]8;;\x1b\\\r\n');
  for (let at = 0; at < 5 * LINKS_MAX; at++) model.write(bytes(`\r\x1b]8;;http://x/${at}\x1b\\link\x1b]8;;\x1b\\`));
  expect(model.engine.core._oscLinkService._dataByLinkId.size).toBeLessThanOrEqual(LINKS_MAX + 1);
  expect(model.engine.core.buffers.normal.markers).toHaveLength(0);
  expect(model.lines()[0]!.runs[0]!.style.link).toBe('http://kept/');
});

test('sizes that are none are made one', () => {
  expect(new ScreenModel({ cols: 0, rows: -1 }).size).toEqual({ cols: 2, rows: 1 });
  const model = modelOf('abc');
  model.resize(Number.NaN, 1e9);
  expect(model.size).toEqual({ cols: 2, rows: 1000 });
});

const HOSTILE = [
  '\x1b[1J',
  '\x1b[4;10H',
  '\x1b[?1049h',
  '\x1b[?1049l',
  '\x1b[r',
  '\x1b[2;3r',
  '\x1b[?6h',
  '\x1b7',
  '\x1b8',
  '\x1bc',
  '\x1b[!p',
  '\x1b[99999999b',
  '漢',
  '\u0301',
  '\x1b[L',
  '\x1b[M',
  '\x1bM',
  '\x1bD',
  '\x1b[3J',
  '\x1b[2J',
  '\x1b[4h',
  '\x1b[?45h\b\b\b',
  '\x1b[1K',
  '\x1b[9999@',
  '\x1b[9999P',
  "\x1b[3'}",
  "\x1b[3'~",
  '\x1b[?7l',
  'x'.repeat(25),
  '\x1b]8;;http://a\x07',
  '\x1b]8;;\x07',
  '\x1b[38;5m',
  '\x1b[38;2;1m',
  '\x1b[4:9m',
  '\x1b[58;5m',
  '\x1b#8',
  '\t',
  '\x1b[3g',
  '\x1bH',
  '\x1b[9I',
  '\x1b[9Z',
];
