/** Tests marks of real agents that had a wrong status when their set was first measured, with the reason for each. */
import { expect, test, vi } from 'vitest';
import { markedRecordings, marksOf } from './testing/marks.ts';

vi.setConfig({ testTimeout: 60_000 });

test.each([
  ['a box whose border has a caption, because an older prompt was brought back', 'claude-r2', ['draft-cursor-up']],
  ['a notice of an interrupt that is wrapped above the box', 'codex-p2', ['job-stopped']],
  ['a notice of an interrupt that is wrapped, in a narrow window', 'codex-q1', ['answer-stopped']],
  ['a draft of several rows in a box without borders', 'gemini-p1', ['long-line']],
  ['a draft of two rows in a box without borders', 'gemini-r1', ['long-line']],
  ['a spinner in the title that stands still after an error', 'grok-r2', ['after-error', 'after-error-later']],
  ['a turn that was over before any of it was seen', 'grok-r1', ['after-answer', 'after-answer-later']],
  ['a turn below which only the time is written', 'codex-s2', ['after-stream', 'after-hold', 'after-pondering']],
  ['a turn whose end only the title tells', 'codex-u1', ['after-answer', 'after-pondering', 'after-count']],
  ['an error that came before any work was seen', 'grok-s1', ['after-error', 'after-error-later']],
])('[STATE-22] idle: %s (%s)', (_, name, labels) => {
  const recording = markedRecordings().find((each) => each.name === name)!;
  const { marks } = marksOf(recording);
  const own = marks.filter(({ label }) => labels.includes(label));
  expect(own.map(({ label }) => label)).toEqual(expect.arrayContaining([...labels]));
  expect(own.map(({ label, found }) => `${label} ${found}`)).toEqual(own.map(({ label }) => `${label} idle`));
});

test.each([
  ['a command whose dialog begins above the screen', 'claude-s2', 'dialog-onion', './job.sh onion 3'],
  ['a file that only its destination names', 'codex-s3', 'dialog-menu.md', 'menu.md'],
])('[STATE-8] told: %s (%s)', (_, name, label, subject) => {
  const recording = markedRecordings().find((each) => each.name === name)!;
  const own = marksOf(recording).marks.filter((mark) => mark.label.startsWith(label));
  expect(own.length, subject).toBeGreaterThan(0);
  expect(own.map(({ found, words }) => [found, words])).toEqual(own.map(() => ['blocked', '']));
});
