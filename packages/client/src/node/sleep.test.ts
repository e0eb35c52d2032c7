import { beforeEach, expect, test, vi } from 'vitest';
import { sleep } from './sleep.ts';

beforeEach(() => void vi.useFakeTimers());
test.each([0, 1, 2 ** 31 - 1, 2 ** 31, 3 * 2 ** 31])('a sleep of %d ms takes so long', async (ms) => {
  const start = Date.now();
  const slept = sleep(ms).then(() => Date.now() - start);
  await vi.advanceTimersByTimeAsync(ms);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await slept).toBe(ms);
});

test.each([1000, 3e9, Infinity])('a sleep of %d ms ends when it is aborted, and leaves no timer', async (ms) => {
  const controller = new AbortController();
  const slept = sleep(ms, controller.signal);
  await vi.advanceTimersByTimeAsync(Math.min(ms / 2, 5e9));
  expect(vi.getTimerCount()).toBe(1);
  controller.abort();
  await slept;
  await sleep(ms, controller.signal);
  expect(vi.getTimerCount()).toBe(0);
});
