import type { Status } from '@spool/protocol';
import { expect, test, vi } from 'vitest';
import { BUILT_IN_RULES } from '../built-in-rules.ts';
import { StatusReducer } from '../reducer.ts';
import { SCREEN_ALONE } from '../testing/measurement.ts';
import { recordings } from '../testing/recordings.ts';
import { replay } from '../testing/replay.ts';
import { viewOf } from '../testing/views.ts';

vi.setConfig({ testTimeout: 60_000 });

const SECOND = 1000;

/** Counts the dialogs, one second each; `key` stands for input. */
function dialogsIn(command: string, shown: readonly string[]): number {
  const reducer = new StatusReducer({ rules: BUILT_IN_RULES, command: command.split(' '), startedAt: 0 });
  const seen = new Set<number>();
  let now = 0;
  for (const text of shown) {
    if (text === 'key') {
      reducer.typed(now);
      continue;
    }
    reducer.output(1, now, now + 1);
    reducer.screen(viewOf(text), now, now + 1);
    for (now += SECOND; reducer.nextCheckAt !== null && reducer.nextCheckAt <= now;) reducer.tick(reducer.nextCheckAt);
    expect(reducer.status.state, text).toBe('blocked');
    seen.add(reducer.status.since);
  }
  return seen.size;
}

const claude = (command: string, selected = 1): string =>
  `● Bash(${command})\n  ⎿  Waiting…\n\n Bash command\n   ${command}\n Do you want to proceed?
 ${selected === 1 ? '❯' : ' '} 1. Yes\n ${selected === 2 ? '❯' : ' '} 2. No\n\n Esc to cancel · Tab to amend`;
const claudeEdit = (file: string): string =>
  ` Edit file\n Do you want to make this edit to ${file}?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend`;
const menu = (question: string, selected: number): string =>
  [
    question,
    ...['Red', 'Green', 'Blue'].map((name, at) => `${at + 1 === selected ? '❯' : ' '} ${at + 1}. ${name}`),
  ].join('\n');

test.each<[string, string, number, readonly string[]]>([
  ['another question', 'sh', 3, ['First? [y/N] ', 'key', 'First? [y/N] y\nSecond? [y/N] ', 'key', 'x\nPassword: ']],
  ['another question that came by itself', 'sh', 2, ['Deploy? [y/N] ', 'Too late.\nRoll back? [y/N] ']],
  ['the same question once more', 'sh', 2, ['Password: ', 'key', 'Password: \nSorry, try again.\nPassword: ']],
  ['the next of a row', 'sh', 2, ['Remove a1? [y/N] ', 'key', 'Remove a1? [y/N] y\nRemove a2? [y/N] ']],
  ['a menu after another', 'sh', 2, [menu('Which colour?', 2), 'key', menu('Which wall?', 1)]],
  ['an edit after another', 'claude', 2, [claudeEdit('a.ts'), claudeEdit('b.ts')]],
  ['a command after another', 'claude', 2, [claude('ls'), 'key', claude('rm -r dist')]],
])('[STATE-1] %s is another dialog', (_, command, count, shown) => expect(dialogsIn(command, shown)).toBe(count));

test.each<[string, string, readonly string[]]>([
  ['moves', 'sh', ['First? [y/N] ', 'a log line\nFirst? [y/N] ', 'a\nb\nFirst? [y/N] ']],
  ['counts down', 'sh', ['Stop in 10 s? [y/N] ', 'Stop in 9 s? [y/N] ', 'Stop in 8 s? [y/N] ']],
  ['has a key pressed that it does not take', 'sh', ['Go on? [y/N] ', 'key', 'Go on? [y/N]  ']],
  ['is typed at', 'sh', ['? Name: ', 'key', '? Name: a', 'key', '? Name: ab']],
  ['is a pager', 'sh', ['one\nlines 1-20', 'key', 'two\nlines 21-40']],
  ['has its selection moved', 'sh', [menu('Which?', 1), 'key', menu('Which?', 2), 'key', menu('Which?', 3)]],
  ['has its selection moved', 'claude', [claude('ls'), 'key', claude('ls', 2), 'key', claude('ls', 1)]],
  ['blinks', 'claude', [claude('ls'), `● Working\n${claude('ls')}`, `  Working\n${claude('ls')}`]],
  ['is announced', 'claude', ['● Asks\n  Waiting for permission…', claude('ls')]],
])('[STATE-1] a dialog that %s is the same (%s)', (_, command, shown) => expect(dialogsIn(command, shown)).toBe(1));

test.each([
  ['with everything', undefined],
  ['by the screen alone', SCREEN_ALONE],
])(
  '[STATE-1] in recordings, no dialog turns into another: between two the session is seen without one: %s',
  (_, withholds) => {
    const followed: string[] = [];
    for (const looksAlways of [true, false])
      for (const recording of recordings()) {
        let last: Status | null = null;
        replay(recording, {
          looksAlways,
          ...(withholds && { withholds }),
          onStep: (_ms, status) => {
            if (last?.state === 'blocked' && status.state === 'blocked' && last.since !== status.since)
              followed.push(`${recording.name}: ${last.kind}, ${status.kind}`);
            last = status;
          },
        });
      }
    // Even Claude's two questions at its start, about trust and about a key: between them a sample shows neither.
    expect(followed).toEqual([]);
  },
);
