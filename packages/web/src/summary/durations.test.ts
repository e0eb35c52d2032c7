import { expect, test } from 'vitest';
import { durationText, shares } from './durations.ts';

test.each([
  [0, '0 ms'],
  [850, '850 ms'],
  [4200, '4.2 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [200_000, '3 min 20 s'],
  [7_500_000, '2 h 5 min'],
  [3 * 86_400_000 + 4 * 3_600_000, '3 d 4 h'],
  [86_400_000 + 60_000, '1 d'],
])('%i ms read %s', (ms, text) => expect(durationText(ms)).toBe(text));

test('the shares of a bar follow one another and fill it', () => {
  expect(shares({ working: 300, blocked: 100 })).toEqual([
    { condition: 'working', ms: 300, from: 0, share: 0.75 },
    { condition: 'waits', ms: 100, from: 0.75, share: 0.25 },
  ]);
  expect(shares({})).toEqual([]);
});
