import { expect, test } from 'vitest';
import { Pattern } from './pattern.ts';

/** A text that takes hours with plain backtracking. */
const EVIL = `${'a'.repeat(40)}!`;

test.each<[pattern: string, lines: string[], found: object | null]>([
  ['/two/', ['one', 'two'], { line: 1, groups: ['two'] }],
  ['two', ['one', 'two'], { line: 1, groups: ['two'] }],
  ['/T(W)(x)?O/i', ['one', 'two'], { line: 1, groups: ['two', 'w', undefined] }],
  ['/^$/', ['one', ''], { line: 1, groups: [''] }],
  ['/o/g', ['oo', 'o'], { line: 0, groups: ['o'] }],
  ['/a\\/b/', ['a/b'], { line: 0, groups: ['a/b'] }],
  ['/nothing/', ['one'], null],
  ['/x/', [], null],
])('%j on %j finds %j', (pattern, lines, found) => {
  const wanted = new Pattern(pattern);
  for (let again = 0; again < 2; again++) expect(wanted.find(lines)).toEqual(found); // a `g` keeps no position between calls
});

test.each(['/(a+)+$/', '/(a|aa)+$/', '/(a*)*b/'])('%s ends by itself, in no time', (pattern) => {
  const startedAt = process.cpuUsage();
  expect(new Pattern(pattern).find([EVIL])).toBeNull();
  expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(900);
});

test.each(['/(?=a)(a+)+$/', '/(a+)+\\1$/', '/(a+)+$/u'])('%s is cut off', (pattern) => {
  expect(() => new Pattern(pattern, { deadlineMs: 50 }).find([EVIL])).toThrow(/takes too long/);
});

test.each([
  ['/(/', /invalid pattern/],
  ['/x/q', /invalid pattern/],
  ['', /is empty/],
  ['//', /is empty/],
])('%j is refused', (pattern, message) => expect(() => new Pattern(pattern)).toThrow(message));
