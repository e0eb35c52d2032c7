import { expect, test } from 'vitest';
import { longDuration, msUntilShortChanges, runningDuration, shortDuration } from './duration.ts';

test.each([
  [-5, '0s', '0s'],
  [0, '0s', '0s'],
  [420, '0s', '0.4s'],
  [999, '0s', '1s'],
  [9940, '9s', '9.9s'],
  [9960, '9s', '10s'],
  [59_400, '59s', '59s'],
  [59_999, '59s', '1m'],
  [60_000, '1m', '1m'],
  [192_000, '3m', '3m 12s'],
  [3_599_000, '59m', '59m 59s'],
  [3_725_000, '1h', '1h 2m'],
  [86_399_000, '23h', '23h 59m'],
  [93_784_000, '1d', '1d 2h'],
  [86_400_000 * 400, '400d', '400d'],
])('%d ms are %s in short and %s in long', (ms, short, long) =>
  expect([shortDuration(ms), longDuration(ms)]).toEqual([short, long]),
);

test('a running clock has whole seconds', () => {
  expect([0, 1900, 65_900, 93_784_000].map(runningDuration)).toEqual(['0s', '1s', '1m 5s', '1d 2h']);
});

test.each([
  [0, 1000],
  [1300, 700],
  [59_000, 1000],
  [60_000, 60_000],
  [3_599_000, 1000],
  [90_000_000, 82_800_000],
])('an age of %s ms reads differently in %s ms', (ms, next) => expect(msUntilShortChanges(ms)).toBe(next));
