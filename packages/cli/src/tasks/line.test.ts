import { expect, test } from 'vitest';
import type { TaskResult } from '@spool/client';
import { ansiLine, plainText } from '@spool/render';
import { endLines, liveLine, nameWidthOf, type TaskView } from './line.ts';

const VIEW: TaskView = {
  id: 'abcdefghij',
  name: 'build',
  startedAt: 0,
  milestone: null,
  lastLine: '',
  question: null,
  progress: null,
  result: null,
};
const MILESTONE = { name: 'm', title: '12 packages installed', offset: 9 };
const RESULT: TaskResult = {
  id: 'abcdefghij',
  name: 'build',
  state: 'error',
  pid: 1,
  startedAt: 0,
  finishedAt: 3210,
  exitCode: 1,
  durationMs: 3210,
  reason: 'exit code 1',
  attachName: 'build',
  timeoutMs: null,
  labels: {},
  startedBy: null,
  blocked: null,
  lastLines: ['bad \x1b[2J', 'worse  '],
  milestone: null,
};

test.each<[what: string, view: Partial<TaskView>, line: string]>([
  ['nothing yet', {}, '⠙ build      2s'],
  ['the last line', { lastLine: 'compiling \x1b]0;x' }, '⠙ build      2s  compiling \\e]0;x'],
  [
    'a milestone before the last line',
    { lastLine: 'noise', milestone: MILESTONE },
    '⠙ build      2s  12 packages installed',
  ],
  ['progress', { progress: 42 }, '⠙ build      2s ████░░░░░░  42%'],
  ['progress that is none', { progress: 900 }, '⠙ build      2s ██████████ 100%'],
  [
    'a milestone with a percentage',
    { milestone: { ...MILESTONE, percent: 7 } },
    '⠙ build      2s █░░░░░░░░░   7%  12 packages installed',
  ],
  [
    'what the program itself says before it',
    { progress: 0, milestone: { ...MILESTONE, percent: 90 } },
    '⠙ build      2s ░░░░░░░░░░   0%  12 packages installed',
  ],
  ['a failure', { lastLine: 'noise', progress: 50, result: RESULT }, '✗ build    3.2s  exit code 1'],
  [
    'a success',
    { milestone: MILESTONE, result: { ...RESULT, state: 'success' } },
    '✓ build    3.2s  12 packages installed',
  ],
])('%s', (_what, view, line) => {
  const look = { now: 2000, turn: 11, width: 70, nameWidth: 5 };
  expect(plainText(liveLine({ ...VIEW, ...view }, look))).toBe(line);
});

test('a line fits its width, whatever it has to tell, and names stand below each other', () => {
  const views = [VIEW, { ...VIEW, name: '日本', lastLine: '日本語'.repeat(40) }];
  const nameWidth = nameWidthOf(views);
  const look = { now: 0, turn: 0, width: 30, nameWidth };
  expect(views.map((view) => plainText(liveLine(view, look)))).toEqual([
    '⠋ build      0s',
    '⠋ 日本       0s  日本語日本語…',
  ]);
  expect(ansiLine(liveLine(VIEW, look), 'colours')).toBe('\x1b[36m⠋\x1b[m build      0s');
});

test('the end says how and why, with the last lines unless they were seen', () => {
  expect(endLines(RESULT, false)).toEqual(['build: error after 3.2s: exit code 1', '  bad \\e[2J', '  worse']);
  expect(endLines(RESULT, true)).toEqual(['build: error after 3.2s: exit code 1']);
  expect(endLines({ ...RESULT, state: 'success', lastLines: [] }, false)).toEqual(['build: success after 3.2s']);
  expect(endLines({ ...RESULT, state: 'cancelled', reason: 'cancelled' }, true)).toEqual([
    'build: cancelled after 3.2s',
  ]);
});
