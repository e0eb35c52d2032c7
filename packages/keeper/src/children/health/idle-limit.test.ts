import { beforeEach, expect, test, vi } from 'vitest';
import { endWhenIdle } from './idle-limit.ts';
import type { TreeLook } from './process-tree.ts';

beforeEach(() => void vi.useFakeTimers());
test('[STATE-42] it ends after the limit, counted from the last output, key or CPU time, and only once', () => {
  const subject = { pid: 7, offset: 0, typedAt: null as number | null };
  let cpuMs = 0;
  let ends = 0;
  endWhenIdle(
    () => subject,
    8000,
    () => ends++,
    () => ({ cpuMs }) as TreeLook,
  );
  const acts = [() => (subject.offset += 1), () => (subject.typedAt = 5), () => (cpuMs += 500)];
  for (const act of acts) {
    vi.advanceTimersByTime(7000);
    act();
  }
  vi.advanceTimersByTime(7900);
  expect(ends).toBe(0);
  vi.advanceTimersByTime(1500);
  expect(ends).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(ends).toBe(1);
});

test('[STATE-42] a limit that is cancelled ends nothing', () => {
  let ends = 0;
  const cancel = endWhenIdle(
    () => ({ pid: 7, offset: 0, typedAt: null }),
    8000,
    () => ends++,
    () => null,
  );
  cancel();
  vi.advanceTimersByTime(60_000);
  expect(ends).toBe(0);
});
