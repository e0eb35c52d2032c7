import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Recall } from './recall.ts';

const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => `s${at}`);

function busyFor(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

test('[LIST-3] sessions come back a few at a time, and others have their turn between them', async () => {
  const known: string[] = [];
  const recall = new Recall(
    () => Promise.resolve(ids(200)),
    (id) => {
      busyFor(0.5);
      known.push(id);
    },
  );
  await recall.start();
  let turns = 0;
  const seen: number[] = [];
  const over = recall.whole.then(() => 'over');
  while ((await Promise.race([over, nextTurn('turn')])) !== 'over') {
    turns++;
    seen.push(known.length);
  }
  expect(known).toEqual(ids(200));
  expect(recall.left).toBe(0);
  // A hundred milliseconds of work in slices of four.
  expect(turns).toBeGreaterThan(8);
  expect(seen[0]).toBeLessThan(100);
});

test('[LIST-3] one that is asked for comes first, and once', async () => {
  const known: string[] = [];
  const recall = new Recall(
    () => Promise.resolve(ids(100)),
    (id) => {
      busyFor(1);
      known.push(id);
    },
  );
  expect(recall.one('s99')).toBe(false); // the folder has not been listed yet
  const started = recall.start();
  await recall.listed;
  expect([recall.one('s99'), known.at(-1), recall.one('s99'), recall.one('none')]).toEqual([true, 's99', false, false]);
  await started;
  await recall.whole;
  expect(known.toSorted()).toEqual(ids(100).toSorted());
});
