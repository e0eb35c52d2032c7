import { expect, test } from 'vitest';
import { shares } from './durations.ts';

test('the shares of a bar follow one another and fill it', () => {
  expect(shares({ working: 300, blocked: 100 })).toEqual([
    { condition: 'working', ms: 300, from: 0, share: 0.75 },
    { condition: 'waits', ms: 100, from: 0.75, share: 0.25 },
  ]);
  expect(shares({})).toEqual([]);
});
