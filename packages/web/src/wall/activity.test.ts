import { expect, test } from 'vitest';
import { WallActivity, BUCKETS } from './activity.ts';

test('what was printed lately moves to the left, and is forgotten', () => {
  const activity = new WallActivity();
  activity.note('a', 1000, 0); // the first offset does not count as activity
  expect(activity.bars('a', 0)).toBeNull();
  activity.note('a', 1100, 100);
  activity.note('a', 1200, 2100);
  expect(activity.bars('a', 2100)?.slice(-2)).toEqual([1, 1]);
  expect(activity.bars('a', 4000)?.slice(-3)).toEqual([1, 1, 0]);
  expect(activity.bars('a', BUCKETS * 2000 + 4000)).toBeNull();
  expect(activity.bars('unknown', 0)).toBeNull();
});
