import { expect, test } from 'vitest';
import { DiskTurns } from './disk-turns.ts';

test('two wait for the disk at once, the others in order, and one that fails holds up nobody', async () => {
  const turns = new DiskTurns();
  let now = 0;
  let most = 0;
  const done: number[] = [];
  const works = Array.from({ length: 6 }, (_, number) =>
    turns.take(async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      done.push(number);
      if (number === 1) throw new Error('the disk');
    }),
  );
  const results = await Promise.allSettled(works);
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true, true]);
  expect({ most, done }).toEqual({ most: 2, done: [0, 1, 2, 3, 4, 5] });
});
