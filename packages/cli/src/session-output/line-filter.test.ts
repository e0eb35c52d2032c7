import { expect, test } from 'vitest';
import { LastShown, LineFilter, linePattern } from './line-filter.ts';

function filtered(lines: string, pattern: string, context = 0): string {
  const filter = new LineFilter({ pattern: linePattern(pattern), context });
  return lines
    .split('')
    .flatMap((text) => filter.pass({ text, at: 0 }))
    .map(({ text }) => text)
    .join(' ');
}

test.each([
  ['abcdef', 'c', 0, 'c'],
  ['abcdef', '/[CE]/i', 0, 'c e'],
  ['abcdefgh', 'b|g', 1, 'a b c -- f g h'],
  ['abcdef', 'b|d', 1, 'a b c d e'],
  ['abcdef', 'b|c', 2, 'a b c d e'],
  ['abc', 'x', 5, ''],
])('[PAST-3] of %s, %s with %s lines around is %s', (lines, pattern, context, found) =>
  expect(filtered(lines, pattern, context)).toBe(found),
);

test('[PAST-3] a heading of ours never matches, and a pattern that is none is refused', () => {
  const filter = new LineFilter({ pattern: linePattern('screen', { isCaseIgnored: true }) });
  expect(filter.pass({ text: '[full-screen program]', at: 0, isHeading: true })).toEqual([]);
  expect(filter.pass({ text: 'SCREEN', at: 0 })).toHaveLength(1);
  expect(() => linePattern('(')).toThrow('--grep "(" is not a pattern');
});

test('the last lines, of however many', () => {
  const last = new LastShown(3);
  for (let at = 0; at < 10_000; at++) last.add({ text: String(at), at });
  expect([last.count, ...last.lines().map(({ text }) => text)]).toEqual([10_000, '9997', '9998', '9999']);
});
