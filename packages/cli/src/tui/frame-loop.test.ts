import { beforeEach, expect, test, vi } from 'vitest';
import { FrameLoop, msUntilAgeChanges } from './frame-loop.ts';

beforeEach(() => void vi.useFakeTimers());
test('[STATE-4] many changes are one picture; a terminal that takes nothing gets no second one before it has the first', async () => {
  let drawn = 0;
  let written = Promise.withResolvers<void>();
  using loop = new FrameLoop(() => {
    drawn++;
    return { nextMs: null, written: written.promise };
  });
  for (let at = 0; at < 100; at++) loop.changed();
  await vi.advanceTimersByTimeAsync(100);
  expect(drawn).toBe(1);
  loop.changed();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(drawn).toBe(1);
  written.resolve();
  written = Promise.withResolvers();
  await vi.advanceTimersByTimeAsync(100);
  expect(drawn).toBe(2);
});

test('[STATE-4] ages tick once a second while seconds are shown, and seldom when only hours are; without rows nothing ticks', async () => {
  const drawnIn = async (ageMs: number | null, ms: number): Promise<number> => {
    let drawn = 0;
    const start = Date.now();
    using loop = new FrameLoop(() => {
      drawn++;
      const agesMs = ageMs === null ? [] : [ageMs + Date.now() - start];
      return { nextMs: msUntilAgeChanges(agesMs), written: Promise.resolve() };
    });
    loop.changed();
    await vi.advanceTimersByTimeAsync(ms);
    return drawn;
  };
  expect(await drawnIn(5000, 10_000)).toBeLessThanOrEqual(11);
  expect(await drawnIn(5000, 10_000)).toBeGreaterThanOrEqual(9);
  expect(await drawnIn(7_200_000, 600_000)).toBe(1);
  expect(await drawnIn(null, 600_000)).toBe(1);
});
