import { expect, test } from 'vitest';
import { printCommand, cutToWidth, displayWidth, printable } from './printable.ts';
import { formatTable } from './table.ts';

test('columns are as wide as their contents, numbers stand right', () => {
  const lines = formatTable(
    [{ title: 'ID' }, { title: 'SIZE', right: true }, { title: 'WHAT' }],
    [
      ['a', '1', 'x'],
      ['longer', '12345', 'y z'],
    ],
  );
  expect(lines).toEqual(['ID       SIZE  WHAT', 'a           1  x', 'longer  12345  y z']);
});

test.each([
  [20, 'abc  wide 漢字 and …'],
  [15, 'abc  wide 漢字…'],
  [5, 'abc'],
  [undefined, 'abc  wide 漢字 and more'],
])('in %s columns the last one is cut', (width, line) => {
  expect(formatTable([{ title: 'A' }, { title: 'B' }], [['abc', 'wide 漢字 and more']], width)[1]).toBe(line);
});

test.each([
  ['abc', 3],
  ['漢字', 4],
  ['e\u0301', 1],
  ['😀', 2],
  ['', 0],
])('%j takes %s cells', (text, width) => expect(displayWidth(text)).toBe(width));

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdef', 5, 'abcd…'],
  ['abcdef', 1, '…'],
  ['abcdef', 0, ''],
  ['漢字漢', 4, '漢…'],
])('%j cut to %s is %j', (text, width, cut) => expect(cutToWidth(text, width)).toBe(cut));

test('control characters are shown, not obeyed', () => {
  expect(printable('a\x1b[31m\n\r\t\x00\x9b\u202eü')).toBe('a\\e[31m\\n\\r\\t\\x00\\x9b\\u{202e}ü');
});

test('a command reads as it could be typed', () => {
  expect(printCommand(['sh', '-c', "echo 'hi there'; ls", '', '--x=1'])).toBe(
    `sh -c 'echo '\\''hi there'\\''; ls' '' --x=1`,
  );
});

const COLUMNS = [
  { title: 'ID', matters: 1 },
  { title: 'NAME', matters: 4, least: 4, fair: 6 },
  { title: 'STATE', matters: 3, least: 4 },
  { title: 'TEXT', matters: 2, least: 5 },
] as const;
const ROW = ['id-0123456', 'a-long-name', 'blocked', '漢字漢字漢字'];

test.each([
  [60, 'id-0123456  a-long-name  blocked  漢字漢字漢字'],
  [44, 'id-0123456  a-long-n…  blocked  漢字漢字漢字'],
  [37, 'id-0123456  a-lon…  blocked  漢字漢…'],
  [36, 'id-0123456  a-lon…  blocked  漢字漢…'],
  [29, 'id-0123456  a-l…  blo…  漢字…'],
  [28, 'a-lon…  blocked  漢字漢字漢…'],
  [17, 'a-l…  blo…  漢字…'],
  [16, 'a-long…  blocked'],
  [9, 'a-long-n…'],
  [3, 'a-…'],
  [1, '…'],
])('[LIST-5] in %s cells the columns that matter least are narrowed, and then left out', (width, line) => {
  const lines = formatTable(COLUMNS, [ROW], width);
  expect(lines[1]).toBe(line);
  for (const each of lines) expect(displayWidth(each)).toBeLessThanOrEqual(width);
});
