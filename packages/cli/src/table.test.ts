import type { SessionInfo } from '@spool/protocol';
import { expect, test } from 'vitest';
import { commandLine, cutToWidth, displayWidth, printable } from './printable.ts';
import { formatTable } from './table.ts';
import { tableOf } from './verbs/ls.ts';

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
  [5, 'abc  wide 漢字…'],
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
  expect(printable('a\x1b[31m\n\r\t\x00\x9b\u202eü')).toBe('a\\e[31m\\n\\r\\t\\x00\\x9b\\u202eü');
});

test('a command reads as it could be typed', () => {
  expect(commandLine(['sh', '-c', "echo 'hi there'; ls", '', '--x=1'])).toBe(
    `sh -c 'echo '\\''hi there'\\''; ls' '' --x=1`,
  );
});

test('the list of sessions', () => {
  const base = {
    name: 'n',
    exitCode: null,
    signal: null,
    startedAt: 0,
    offset: 2048,
    command: ['sleep', '1'],
    viewers: [],
  };
  const sessions = [
    { ...base, id: 'aaaaaaaaaa', state: 'running', viewers: [{}, {}] },
    { ...base, id: 'bbbbbbbbbb', state: 'failed', exitCode: 3, name: 'evil\x1b[2J' },
    { ...base, id: 'cccccccccc', state: 'stopped', signal: 'SIGHUP' },
  ] as unknown as SessionInfo[];
  expect(tableOf(sessions, 61_000, undefined, false)).toEqual([
    'ID          NAME       STATE           AGE  OUTPUT  VIEWERS  COMMAND',
    'aaaaaaaaaa  n          running          1m      2k        2  sleep 1',
    'bbbbbbbbbb  evil\\e[2J  failed 3         1m      2k           sleep 1',
    'cccccccccc  n          stopped SIGHUP   1m      2k           sleep 1',
  ]);
  const [, , failed] = tableOf(sessions, 61_000, undefined, true);
  expect([failed!.startsWith('\x1b[31mbbb'), failed!.endsWith('\x1b[m')]).toEqual([true, true]);
});
