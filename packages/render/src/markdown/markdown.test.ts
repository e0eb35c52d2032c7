import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineWidth, plainText } from '../lines.ts';
import { inline } from './inline.ts';
import { markdownLines } from './markdown.ts';

const shown = (text: string, width = 40): string[] =>
  markdownLines(text, width).map((line) => plainText(line).trimEnd());

test('headings, lists, code, quotes and rules become lines', () => {
  const text = '# Title\n\ntext\n\n- one\n- two\n  1. inner\n- [x] done\n\n```js\nlet a;\n\n  b\n```\n\n> said\n\n---';
  expect(shown(text)).toEqual([
    'Title',
    '',
    'text',
    '',
    '• one',
    '• two',
    '  1. inner',
    '☑ done',
    '',
    '  let a;',
    '',
    '    b',
    '',
    '│ said',
    '',
    '────────────────────────────────────────',
  ]);
});

test('a wrapped item hangs below its text', () => {
  expect(shown('- one two three four five', 12)).toEqual(['• one two', '  three four', '  five']);
});

test.each([
  ['**bold** and *thin* and `co*de*`', 'bold and thin and co*de*'],
  ['a_b_c and _d_', 'a_b_c and d'],
  ['2 * 3 * 4 and ** nothing **', '2 * 3 * 4 and ** nothing **'],
  ['not **closed and `open', 'not **closed and `open'],
  ['\\*not\\* and ~~old~~', '*not* and old'],
  ['[text](https://a.example/b_(c)) end', 'text (https://a.example/b_(c)) end'],
  ['[https://good.example](https://evil.example)', 'https://good.example (https://evil.example)'],
  ['![picture](a.png) <https://b.example>', '[image: picture] (a.png) https://b.example'],
  ['***both*** and ``a ` b``', 'both and a ` b'],
  ['<b>HTML</b> &lt;', '<b>HTML</b> &lt;'],
])('%s', (text, wanted) => expect(plainText(inline(text))).toBe(wanted));

test('looks are those of the marks', () => {
  expect(inline('a **b *c*** `d`')).toEqual([
    { text: 'a ', look: {} },
    { text: 'b ', look: { bold: true } },
    { text: 'c', look: { bold: true, italic: true } },
    { text: ' ', look: {} },
    { text: 'd', look: { tone: 'code' } },
  ]);
});

test('a table wraps its cells, and becomes a list where there is no room', () => {
  const table = '| a | number |\n|---|---:|\n| one two three four | 12 |';
  expect(shown(table, 20)).toEqual([
    'a           │ number',
    '────────────┼───────',
    'one two     │     12',
    'three four  │',
  ]);
  expect(shown(table, 10)).toEqual(['a: one two', '  three', '  four', 'number: 12']);
});

test('a table whose second line has not come yet is text', () => {
  expect(shown('| a | b |')).toEqual(['| a | b |']);
});

test('[SHOW-1] whatever the text is: no control character, no line wider than the room, and it ends in time', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '**',
      '*',
      '_',
      '`',
      '```',
      '\n',
      '\n\n',
      '|',
      '| - |\n',
      '- ',
      '> ',
      '# ',
      '[',
      '](',
      ')',
      '~~',
      '\\',
      '<',
      '\t',
    ),
    fc.constantFrom(
      '\u001b[31m',
      '\u001b]0;x\u0007',
      '\u0000',
      '\u009b',
      '\u202e',
      '\u2066',
      '\r',
      '\ud800',
      '\u2028',
      '漢字',
      '👨‍👩‍👧',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 12, max: 90 }), (pieces, width) => {
      for (const line of markdownLines(pieces.join(''), width)) {
        expect(plainText(line)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
        expect(plainText(line).isWellFormed()).toBe(true);
        expect(lineWidth(line)).toBeLessThanOrEqual(width);
      }
    }),
    { numRuns: 2000 },
  );
});

test.each(['*', '**a', '`', '[', '[a](', '_a ', '~~', '> ', '- ', '|', '![', '<', '\\'])(
  'a hundred thousand of %j take no time to speak of',
  (piece) => {
    const before = process.threadCpuUsage();
    markdownLines(piece.repeat(100_000 / piece.length), 80);
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(5000);
  },
);
