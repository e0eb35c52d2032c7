import { expect, test } from 'vitest';
import { LineCutter, WINDOW_CHARACTERS } from './line-cutter.ts';

const CASES: readonly (readonly [what: string, written: string, lines: readonly string[]])[] = [
  ['plain text', 'hello\tworld\n', ['hello\tworld', '']],
  ['terminal newlines', 'a\r\nb\r\n', ['a', 'b', '']],
  ['carriage returns alone', '10%\r20%\r\n\r\r\nx\r', ['10%', '20%', '', '', 'x', '']],
  ['colours', '\x1b[1;31mred\x1b[0m', ['red']],
  ['cursor movements and modes', '\x1b[2J\x1b[?25l\x1b[10;20Hx\x1b[K', ['x']],
  ['a title ended by BEL', '\x1b]0;title\x07x', ['x']],
  ['a title ended by ST', '\x1b]0;title\x1b\\x', ['x']],
  ['a hyperlink', '\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', ['link']],
  ['a DCS with BEL and newline inside', '\x1bPq#0\x07\n\x1b\\x', ['x']],
  ['a string that is cancelled', '\x1b]0;title\x18x', ['x']],
  ['two-byte escapes and charsets', '\x1b7\x1b8\x1b(B\x1b=x\x1b#8y', ['xy']],
  ['other control characters', 'a\x00\x07\x08\x0e\x7fb', ['ab']],
  ['UTF-8', 'ü€😀\u00a0', ['ü€😀\u00a0']],
  ['C1 controls as UTF-8', 'a\u009b31m\u0085b', ['ab']],
  ['text that looks like a sequence', '[31m]0;', ['[31m]0;']],
  ['a newline that a colour parts from its carriage return', 'a\r\x1b[m\nb', ['a', 'b']],
];

test.each(CASES)('%s, at every cut', (_, written, lines) => {
  const bytes = Buffer.from(written);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const cutter = new LineCutter();
    const found = [...cutter.push(0, bytes.subarray(0, cut)), ...cutter.push(cut, bytes.subarray(cut))];
    expect([cut, ...found.map(({ text }) => text), cutter.open]).toEqual([cut, ...lines]);
  }
});

test('lines are cut at newlines and carriage returns, across pieces, each with the offset of its end', () => {
  const cutter = new LineCutter();
  expect(cutter.push(100, Buffer.from('one\r\n\x1b[31mt'))).toEqual([{ text: 'one', end: 105 }]);
  // Between the two, another stream has written.
  expect(cutter.push(211, Buffer.from('wo\x1b[m\r\n50%\r60%'))).toEqual([
    { text: 'two', end: 218 },
    { text: '50%', end: 222 },
  ]);
  expect(cutter.open).toBe('60%');
});

test('a line without an end is given in windows that overlap', () => {
  const cutter = new LineCutter();
  const bytes = Buffer.alloc(WINDOW_CHARACTERS * 2, 'x');
  const lines = cutter.push(0, bytes);
  expect(lines.map(({ text }) => text.length)).toEqual([WINDOW_CHARACTERS, WINDOW_CHARACTERS, WINDOW_CHARACTERS]);
  expect(cutter.open.length).toBe(WINDOW_CHARACTERS / 2);
  expect(lines[0]!.end).toBe(bytes.length);
});
