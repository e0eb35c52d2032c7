import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TimeSlices } from './time-slices.ts';

const TURN_MS = 1.5;

function busyFor(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

test('[SLOW-4] many readers of history take turns, and others are served between them', async () => {
  const slices = new TimeSlices();
  const seen = { served: 0, isOver: false };
  const others = (async () => {
    while (!seen.isOver) {
      await nextTurn();
      seen.served++;
    }
  })();
  const readers = Array.from({ length: 16 }, () => ({
    left: 8,
    pump() {
      while (this.left > 0 && slices.admits(this)) {
        slices.read(() => busyFor(1));
        this.left--;
      }
      if (this.left === 0 && readers.every(({ left }) => left === 0)) seen.isOver = true;
    },
  }));
  for (const reader of readers) reader.pump();
  await others;
  // 128 reads of a millisecond, at most a few in each turn: without slices, other work would have been served once.
  expect(seen.served).toBeGreaterThan(128 / (TURN_MS + 1) / 2);
  expect(readers.map(({ left }) => left)).toEqual(readers.map(() => 0));
});

test('[SLOW-4] a reader alone is never asked to wait for nothing', async () => {
  const slices = new TimeSlices();
  const reader = { pumped: 0, pump: () => void reader.pumped++ };
  expect([slices.admits(reader), slices.read(() => 7), slices.admits(reader)]).toEqual([true, 7, true]);
  slices.read(() => busyFor(TURN_MS + 1));
  expect([slices.admits(reader), reader.pumped]).toEqual([false, 0]);
  await nextTurn();
  expect([slices.admits(reader), reader.pumped]).toEqual([true, 1]);
});

test('[SLOW-4] what is sent counts as well as what is read', async () => {
  const slices = new TimeSlices();
  const reader = { pump: () => {} };
  slices.read(() => {});
  busyFor(TURN_MS + 1); // the time to send it
  expect(slices.admits(reader)).toBe(false);
  await nextTurn();
  expect(slices.admits(reader)).toBe(true);
});
