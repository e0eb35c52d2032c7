import { expect, test } from 'vitest';
import { HealthWatch } from './health.ts';
import type { TreeLook } from './process-tree.ts';

const TREE = {
  cpuMs: 0,
  deeds: 0,
  processes: 1,
  isStopped: false,
  isRunning: false,
  isTraced: false,
  isChain: true,
  last: { pid: 7, waitsIn: 'hrtimer_nanosleep' },
} satisfies TreeLook;

test('[STATE-20] a program that a debugger stops for a moment is not called stopped; one that stays stopped is', () => {
  for (const [stoppedMs, expected] of [
    [1000, null],
    [60_000, 'stopped'],
  ] as const) {
    let now = 0;
    let stoppedAt = Infinity;
    const isStopped = (): boolean => now >= stoppedAt && now < stoppedAt + stoppedMs;
    const watch = new HealthWatch(0, {
      pid: 7,
      stalledAfterMs: () => null,
      look: () => ({ ...TREE, isStopped: isStopped() }),
      isServing: () => false,
    });
    stoppedAt = watch.dueAt; // the child is stopped at the moment of the look
    const kinds = new Set<string | null>();
    for (now = watch.dueAt; now < stoppedAt + 50_000; now = watch.dueAt)
      kinds.add(watch.look(now, false)?.kind ?? null);
    expect(kinds.has('stopped')).toBe(expected === 'stopped');
  }
});
