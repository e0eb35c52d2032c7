import { expect, test } from 'vitest';
import { commandLine, cutToWidth, displayWidth, printable } from './printable.ts';
import { formatTable } from './table.ts';
import { tableOf } from '../verbs/ls.ts';
import { sessionWith } from '../watch/fixture.ts';

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

test('[STATE-4] the list of sessions tells what each does', () => {
  const base = { name: 'n', offset: 2048 };
  const sessions = [
    sessionWith('aaaaaaaaaa', { ...base, viewers: [VIEWER, VIEWER] }, { state: 'blocked', kind: 'permission' }),
    sessionWith('bbbbbbbbbb', { ...base, state: 'failed', exitCode: 3, name: 'evil\x1b[2J' }, { state: 'exited' }),
    sessionWith('cccccccccc', { ...base, state: 'stopped', signal: 'SIGHUP' }, { state: 'exited' }),
    sessionWith('dddddddddd', base, { state: 'working' }),
    sessionWith('eeeeeeeeee', base, { state: 'idle', kind: 'prompt' }),
  ];
  expect(tableOf(sessions, 61_000, undefined, false)).toEqual([
    'ID          NAME       STATE               AGE  OUTPUT  VIEWERS  COMMAND',
    'aaaaaaaaaa  n          blocked permission   1m      2k        2  sleep 1',
    'bbbbbbbbbb  evil\\e[2J  failed 3             1m      2k           sleep 1',
    'cccccccccc  n          stopped SIGHUP       1m      2k           sleep 1',
    'dddddddddd  n          working              1m      2k           sleep 1',
    'eeeeeeeeee  n          idle prompt          1m      2k           sleep 1',
  ]);
  const looks = tableOf(sessions, 61_000, undefined, true).map((line) => /^\x1b\[([\d;]+)m.*\x1b\[m$/.exec(line)?.[1]);
  expect(looks).toEqual(['1', '1;33', '31', '2', '32', undefined]);
});

test('[STATE-4] what a session does has a column of its own as soon as one does something; it leaves room for the command', () => {
  const sessions = [
    sessionWith('a', {}, { activity: 'Bash(npm test)\x1b[2J' }),
    sessionWith('b', { milestone: { name: 'x', title: '412 packages installed', offset: 0 } }),
    sessionWith('c', { title: 'a title as long as it likes to be, and then some more of it' }),
  ];
  expect(tableOf(sessions, 1000, undefined, false)).toEqual([
    'ID  NAME  STATE    AGE  OUTPUT  VIEWERS  ACTIVITY                                  COMMAND',
    'a   a     working   1s       0           Bash(npm test)\\e[2J                       sleep 1',
    'b   b     working   1s       0           412 packages installed                    sleep 1',
    'c   c     working   1s       0           a title as long as it likes to be, and …  sleep 1',
  ]);
});

const VIEWER = { who: 'cli 1', size: null, isReadOnly: false, since: 0 };
