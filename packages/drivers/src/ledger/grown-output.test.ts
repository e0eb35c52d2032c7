import { expect, test } from 'vitest';
import { grownOutput } from './grown-output.ts';

const long = Array.from({ length: 100 }, (_, n) => `line ${n}\n`).join('');

test.each([
  ['nothing new', 'abc', 'abc', undefined],
  ['more at the end', 'abc', 'abcdef', { mode: 'append', text: 'def' }],
  ['the first', '', 'abc', { mode: 'append', text: 'abc' }],
  ['a window that moved on', long, `${long.slice(200)}more\n`, { mode: 'append', text: 'more\n' }],
  ['a window that only lost its beginning', long, long.slice(200), undefined],
  ['something else', 'abc', 'xyz', { mode: 'replace', text: 'xyz' }],
])('[DRV-4] cumulative output: %s', (_, shown, whole, expected) => expect(grownOutput(shown, whole)).toEqual(expected));
