import { expect, test } from 'vitest';
import { LineCutter, WINDOW_CHARACTERS } from './line-cutter.ts';
import { PlainText } from './plain-text.ts';

const CASES: readonly (readonly [what: string, written: string, text: string])[] = [
  ['plain text', 'hello\tworld\n', 'hello\tworld\n'],
  ['terminal newlines', 'a\r\nb\r\n', 'a\nb\n'],
  ['carriage returns alone', '10%\r20%\r\n\r\r\nx\r', '10%\r20%\n\r\nx\r'],
  ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
  ['cursor movements and modes', '\x1b[2J\x1b[?25l\x1b[10;20Hx\x1b[K', 'x'],
  ['a title ended by BEL', '\x1b]0;title\x07x', 'x'],
  ['a title ended by ST', '\x1b]0;title\x1b\\x', 'x'],
  ['a hyperlink', '\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'link'],
  ['a DCS with BEL and newline inside', '\x1bPq#0\x07\n\x1b\\x', 'x'],
  ['an APC', '\x1b_Gf=100;AAAA\x1b\\x', 'x'],
  ['a string that a new sequence cuts short', '\x1b]0;title\x1b[31mx', 'x'],
  ['a string that is cancelled', '\x1b]0;title\x18x', 'x'],
  ['two-byte escapes and charsets', '\x1b7\x1b8\x1b(B\x1b=x\x1b#8y', 'xy'],
  ['a newline inside a sequence', '\x1b[31\nx', '\nx'],
  ['an escape after an escape', '\x1b\x1b[31mx', 'x'],
  ['other control characters', 'a\x00\x07\x08\x0e\x7fb', 'ab'],
  ['UTF-8', 'ü€😀\u00a0', 'ü€😀\u00a0'],
  ['C1 controls as UTF-8', 'a\u009b31m\u0085b', 'a31mb'],
  ['text that looks like a sequence', '[31m]0;', '[31m]0;'],
];

test.each(CASES)('%s', (_, written, text) => expect(plain([Buffer.from(written)])).toBe(text));

test('every cut of every case gives the same text', () => {
  for (const [what, written, text] of CASES) {
    const bytes = Buffer.from(written);
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect([what, cut, plain([bytes.subarray(0, cut), bytes.subarray(cut)])]).toEqual([what, cut, text]);
    }
  }
});

test('bytes that are no UTF-8 are kept as they are', () => {
  const plainText = new PlainText();
  expect([...plainText.push(Uint8Array.of(0xff, 0xc2, 0x41, 0xc2)), ...plainText.end()]).toEqual([
    0xff, 0xc2, 0x41, 0xc2,
  ]);
});

test('a string sequence that never ends does not swallow everything', () => {
  const plainText = new PlainText();
  plainText.push(Buffer.from('\x1b]1;'));
  const million = Buffer.alloc(1024 * 1024, 'x');
  const lengths = Array.from({ length: 6 }, () => plainText.push(million).length);
  expect(lengths.at(-1)).toBe(million.length);
});

test('lines are cut at newlines and carriage returns, across pieces, each with the offset of its end', () => {
  const cutter = new LineCutter();
  expect(cutter.push(100, Buffer.from('one\r\n\x1b[31mt'))).toEqual(['one']);
  expect(cutter.endOf(0)).toBe(105);
  expect(cutter.push(111, Buffer.from('wo\x1b[m\r\n50%\r60%'))).toEqual(['two', '50%']);
  expect([cutter.endOf(0), cutter.endOf(1)]).toEqual([118, 123]);
  expect(cutter.open).toBe('60%');
});

test('a line without an end is given in windows that overlap', () => {
  const cutter = new LineCutter();
  const bytes = Buffer.alloc(WINDOW_CHARACTERS * 2, 'x');
  const lines = cutter.push(0, bytes);
  expect(lines.map((line) => line.length)).toEqual([WINDOW_CHARACTERS, WINDOW_CHARACTERS, WINDOW_CHARACTERS]);
  expect(cutter.open.length).toBe(WINDOW_CHARACTERS / 2);
  expect(cutter.endOf(0)).toBe(bytes.length);
});

function plain(pieces: readonly Uint8Array[]): string {
  const plainText = new PlainText();
  return Buffer.concat([...pieces.map((piece) => plainText.push(piece)), plainText.end()]).toString();
}
