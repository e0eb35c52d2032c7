import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HistoryTurns } from './history-turns.ts';

const TURN_MS = 1.5;

function busyFor(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

test('[SLOW-4] many readers of history take turns, and others are served between them', async () => {
  const turns = new HistoryTurns();
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
      while (this.left > 0 && turns.admits(this)) {
        turns.read(() => busyFor(1));
        this.left--;
      }
      if (this.left === 0 && readers.every(({ left }) => left === 0)) seen.isOver = true;
    },
  }));
  for (const reader of readers) reader.pump();
  await others;
  // 128 reads of a millisecond, at most a few in each turn: without turns the others would have been served once.
  expect(seen.served).toBeGreaterThan(128 / (TURN_MS + 1) / 2);
  expect(readers.map(({ left }) => left)).toEqual(readers.map(() => 0));
});

test('[SLOW-4] a reader alone is never asked to wait for nothing', async () => {
  const turns = new HistoryTurns();
  const reader = { pumped: 0, pump: () => void reader.pumped++ };
  expect([turns.admits(reader), turns.read(() => 7), turns.admits(reader)]).toEqual([true, 7, true]);
  turns.read(() => busyFor(TURN_MS + 1));
  expect([turns.admits(reader), reader.pumped]).toEqual([false, 0]);
  await nextTurn();
  expect([turns.admits(reader), reader.pumped]).toEqual([true, 1]);
});

test('[SLOW-4] what is sent counts as well as what is read', async () => {
  const turns = new HistoryTurns();
  const reader = { pump: () => {} };
  turns.read(() => {});
  busyFor(TURN_MS + 1); // sends it
  expect(turns.admits(reader)).toBe(false);
  await nextTurn();
  expect(turns.admits(reader)).toBe(true);
});
