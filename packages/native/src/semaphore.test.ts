import { expect, test } from 'vitest';
import { Semaphore } from './semaphore.ts';

test('two tasks run at once, the others in order, and a failing one blocks none', async () => {
  const semaphore = new Semaphore(2);
  let now = 0;
  let most = 0;
  const done: number[] = [];
  const works = Array.from({ length: 6 }, (_, number) =>
    semaphore.run(async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      done.push(number);
      if (number === 1) throw new Error('no');
    }),
  );
  const results = await Promise.allSettled(works);
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true, true]);
  expect({ most, done }).toEqual({ most: 2, done: [0, 1, 2, 3, 4, 5] });
});
