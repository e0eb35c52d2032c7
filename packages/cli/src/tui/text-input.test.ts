import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextInput } from './text-input.ts';
import { type Key, type KeyName, KeyReader } from './key-reader.ts';

const key = (name: KeyName): Key => ({ type: 'key', name });

function typed(bytes: string, editor = new TextInput()): TextInput {
  for (const each of new KeyReader({ hasAlt: true }).keysIn(Buffer.from(bytes))) editor.press(each);
  return editor;
}

test('[SHOW-6] keys edit the text: words, lines, both ends', () => {
  expect(typed('hello wrld\x1b[D\x1b[D\x1b[Do').text).toBe('hello world');
  expect(typed('one two\x17three').text).toBe('one three');
  expect(typed('one\x1b\rtwo\x1b[A!').text).toBe('one!\ntwo');
  expect(typed('ab\ncd\x01X\x05Y').text).toBe('ab\nXcdY');
  expect(typed('abc\x1b[H\x1b[3~\x0b').text).toBe('');
  expect(typed('a👍\x7fb').text).toBe('ab');
});

test('[SHOW-6] a paste is text, whatever is in it', () => {
  const keys = new KeyReader({ hasAlt: true });
  const pieces = ['\x1b[200~one\r\nt', 'wo\x1b[A\x03', '\x1b[20', '1~x'];
  const all = pieces.flatMap((piece) => [...keys.keysIn(Buffer.from(piece))]);
  expect(all).toEqual([
    { type: 'text', text: 'one\ntwo\x1b[A\x03', isPaste: true },
    { type: 'text', text: 'x', isPaste: false },
  ]);
});

test('[SHOW-6] up and down go through the prompts of the past, and back to what was being written', () => {
  const editor = new TextInput();
  for (const text of ['first', 'second']) {
    editor.set(text);
    expect(editor.take()).toBe(text);
  }
  editor.set('draft');
  const texts = (['up', 'up', 'up', 'down', 'down'] as const).map((name) => {
    editor.press(key(name));
    return editor.text;
  });
  expect(texts).toEqual(['second', 'first', 'first', 'second', 'draft']);
});

test('the cursor is where the next character would appear', () => {
  const editor = typed('abcdef');
  expect(editor.shown(4)).toEqual({ lines: ['abcd', 'ef'], row: 1, col: 2 });
  expect(typed('abcd').shown(4)).toEqual({ lines: ['abcd', ''], row: 1, col: 0 });
  expect(typed('漢字').shown(3)).toEqual({ lines: ['漢', '字'], row: 1, col: 2 });
  expect(typed('').shown(4)).toEqual({ lines: [''], row: 0, col: 0 });
});

test('[SHOW-6] whatever is pressed, the cursor is inside what is shown', () => {
  const names: KeyName[] = [
    'left',
    'right',
    'up',
    'down',
    'home',
    'end',
    'backspace',
    'delete',
    'erase-word',
    'erase-line',
    'erase-rest',
    'newline',
    'word-left',
    'word-right',
  ];
  const press = fc.oneof(
    fc.constantFrom(...names).map(key),
    fc
      .constantFrom('a', ' ', '漢', '👍', '\u001b', '\u202e')
      .map((text): Key => ({ type: 'text', text, isPaste: true })),
  );
  fc.assert(
    fc.property(fc.array(press, { maxLength: 80 }), fc.integer({ min: 12, max: 20 }), (keys, width) => {
      const editor = new TextInput();
      for (const each of keys) editor.press(each);
      const { lines, row, col } = editor.shown(width);
      expect(row).toBeLessThan(lines.length);
      expect(col).toBeLessThanOrEqual(width);
      expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u202e]/);
    }),
  );
});

test('[WATCH-3] in one line one sees the text around the cursor', () => {
  const shown = (bytes: string, width: number): string => {
    const { before, under, after } = typed(bytes).shownInLine(width);
    return `${before}[${under}]${after}`;
  };
  expect(shown('hello', 10)).toBe('hello[ ]');
  expect(shown('hello world', 8)).toBe('o world[ ]');
  expect(shown('hello\x1b[D\x1b[D', 10)).toBe('hel[l]o');
  expect(shown('one two three four\x01', 8)).toBe('[o]ne …');
  expect(shown('漢字\x1b[D', 4)).toBe('漢[字]');
  expect(shown('a\nb', 10)).toBe('a\\nb[ ]');
});
