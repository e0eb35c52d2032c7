import { expect, test } from 'vitest';
import { meaningfulLines } from './meaningful-lines.ts';

test('[STATE-7] what tells nothing is left out: blank lines, frames, spinners, half-done bars, bare prompts', () => {
  const lines = [
    '',
    '   ',
    '─────────────',
    '====',
    '╭──────────╮',
    '$ ',
    '⠙ Installing dependencies',
    '| building',
    '45%',
    '[======>      ] 45%',
    '████░░░░ 50% of it',
  ];
  expect(meaningfulLines(lines)).toEqual([]);
});

test('[STATE-7] what does is kept: results, finished bars, text in frames, tables, lists, indentation', () => {
  const lines = [
    '[============] 100%',
    'coverage: 45% of statements',
    '  - a point',
    '| a | table |',
    '日本語',
    'me@box:~$ make',
    '0',
  ];
  expect(meaningfulLines(lines)).toEqual(lines);
  expect(meaningfulLines(['│ Do you want to proceed? │', '┃   ❯ 1. Yes  ┃'])).toEqual([
    'Do you want to proceed?',
    '  ❯ 1. Yes',
  ]);
});

test('[STATE-7] of what comes again and again the last stays, and no line is a book', () => {
  expect(meaningfulLines(['retrying', 'a', '  retrying', 'b', 'retrying'])).toEqual(['a', 'b', 'retrying']);
  expect(meaningfulLines(['x'.repeat(100_000)])[0]).toHaveLength(500);
});
