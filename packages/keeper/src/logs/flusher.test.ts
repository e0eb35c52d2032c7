import type { Log } from '@spool/store';
import { beforeEach, expect, test, vi } from 'vitest';
import { Flusher } from './flusher.ts';

beforeEach(() => void vi.useFakeTimers());
/** Creates a log that counts its flushes; `takes` decides which of them the disk accepts. */
function fakeLog(takes: (flush: number) => boolean = () => true): { log: Log; flushes: () => number } {
  let count = 0;
  const log = {
    isDirty: true,
    flush: async () => (takes(++count) ? undefined : Object.assign(new Error('full'), { code: 'ENOSPC' })),
  };
  return { log: log as unknown as Log, flushes: () => count };
}

/** The maximum of output time that a power cut may cost. */
const PROMISED_MS = 250;

test('[LIFE-5] what has grown is on its way to the disk well within 250 ms, however often it grows', async () => {
  const flusher = new Flusher();
  const { log, flushes } = fakeLog();
  for (let ms = 0; ms < 1000; ms += 10) {
    flusher.note(log);
    await vi.advanceTimersByTimeAsync(10);
    expect(flushes()).toBeGreaterThanOrEqual(Math.floor(ms / PROMISED_MS));
  }
  expect(flushes()).toBeLessThan(8);
});

test('nothing is flushed while nothing grows', async () => {
  const flusher = new Flusher();
  const { log, flushes } = fakeLog();
  flusher.note(log);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(flushes()).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test('[LIFE-5] a slow round delays the next one by no more than itself', async () => {
  const flusher = new Flusher();
  const startedAt = performance.now();
  const rounds: number[] = [];
  const log = {
    isDirty: true,
    flush: async () => {
      rounds.push(performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, 60)); // the time that the disk takes
    },
  } as unknown as Log;
  for (let ms = 0; ms < 2000; ms += 10) {
    flusher.note(log);
    await vi.advanceTimersByTimeAsync(10);
  }
  // Output right after the start of a round is durable at the end of the next round.
  for (const [at, startedMs] of rounds.entries())
    expect(startedMs + 60 - (rounds[at - 1] ?? 0)).toBeLessThanOrEqual(PROMISED_MS);
  expect(rounds.length).toBeGreaterThan(8);
});

test('[LIFE-5] times follow once a second, and for the last time when nothing grows any more', async () => {
  const flusher = new Flusher();
  const flushes: boolean[] = [];
  const log = {
    isDirty: true,
    async flush({ times }: { times: boolean }) {
      flushes.push(times);
      this.isDirty = !times;
    },
  };
  for (let ms = 0; ms < 3000; ms += 10) {
    log.isDirty = true;
    flusher.note(log as unknown as Log);
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(flushes.filter((times) => times).length).toBeGreaterThanOrEqual(3);
  expect(flushes.filter((times) => times).length).toBeLessThanOrEqual(4);
  expect(flushes.filter((times) => !times).length).toBeGreaterThan(8);
  await vi.advanceTimersByTimeAsync(2000);
  expect([log.isDirty, vi.getTimerCount()]).toEqual([false, 0]);
});

test('[LOG-6] a log that the disk refused is tried again, also when it does not grow', async () => {
  const flusher = new Flusher();
  const { log, flushes } = fakeLog((flush) => flush === 3);
  flusher.note(log);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(flushes()).toBe(3);
  flusher.forget(log);
  expect(vi.getTimerCount()).toBe(0);
});
