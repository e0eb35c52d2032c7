import { describe, expect, test } from 'vitest';
import { HealthWatch } from './health.ts';
import type { TreeLook } from './process-tree.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const TREE: TreeLook = {
  cpuMs: 0,
  deeds: 0,
  processes: 1,
  isStopped: false,
  isRunning: false,
  isTraced: false,
  isChain: true,
  last: { pid: 7, waitsIn: 'hrtimer_nanosleep' },
};

/** Observes a program that is silent for an hour: returns the kinds in order, the start of each, and the number of looks. */
function hour(
  tree: (now: number) => Partial<TreeLook>,
  { isWaiting = false, isServing = false, stalledAfterMs = (10 * MINUTE) as number | null } = {},
): { kinds: readonly (readonly [string | null, number])[]; looks: number; why: string } {
  let looks = 0;
  let now = 0;
  const watch = new HealthWatch(0, {
    pid: 7,
    stalledAfterMs: () => stalledAfterMs,
    look: () => ({ ...TREE, ...tree(now) }),
    isServing: () => isServing,
  });
  const kinds: [string | null, number][] = [[null, 0]];
  let why = '';
  for (now = watch.dueAt; now <= 60 * MINUTE; now = watch.dueAt) {
    looks++;
    const health = watch.look(now, isWaiting);
    if ((health?.kind ?? null) !== kinds.at(-1)![0]) kinds.push([health?.kind ?? null, now / SECOND]);
    why = health?.why ?? why;
  }
  return { kinds, looks, why };
}

describe('what is wrong with a silent program', () => {
  test('[STATE-20, STATE-41] it does nothing: stalled after ten minutes, told once, with what it waits for', () => {
    const { kinds, looks, why } = hour(() => ({}));
    expect(kinds).toEqual([
      [null, 0],
      ['stalled', 600],
    ]);
    expect(why).toBe('for 10m it has written nothing and used no CPU time: it sleeps');
    expect(looks).toBeLessThan(12);
  });

  test('[STATE-20] it is stopped: told within seconds of a look, and over when it is continued', () => {
    const { kinds } = hour((now) => ({ isStopped: now > 30 * SECOND && now < 300 * SECOND }));
    expect(kinds.map(([kind]) => kind)).toEqual([null, 'stopped', null, 'stalled']);
    expect(kinds[1]![1]).toBeLessThan(65);
    expect(kinds[2]![1]).toBeLessThan(310);
  });

  test('[STATE-20] it uses a whole CPU and does nothing else: busy', () => {
    const { kinds } = hour((now) => ({ cpuMs: now, isRunning: true }));
    expect(kinds.map(([kind]) => kind)).toEqual([null, 'busy']);
  });

  test('[STATE-20] a compiler uses the CPU, reads and writes; others wait for children, callers, people or a debugger: quiet', () => {
    const quiet = [[null, 0]];
    expect(hour((now) => ({ cpuMs: now, isRunning: true, deeds: now })).kinds).toEqual(quiet);
    expect(hour((now) => ({ cpuMs: now / 100 })).kinds).toEqual(quiet);
    expect(hour(() => ({ isChain: false })).kinds).toEqual(quiet);
    expect(hour(() => ({}), { isServing: true }).kinds).toEqual(quiet);
    expect(hour(() => ({}), { isWaiting: true }).kinds).toEqual(quiet);
    expect(hour(() => ({ isTraced: true })).kinds).toEqual(quiet);
    expect(hour(() => ({ last: { pid: 7, waitsIn: 'wait_woken' } })).kinds).toEqual(quiet);
    expect(hour(() => ({}), { stalledAfterMs: null }).kinds).toEqual(quiet);
  });

  test('[STATE-41] output ends it, and starts anew; typing without a reaction and a signal bring a look forward', () => {
    const watch = new HealthWatch(0, {
      pid: 7,
      stalledAfterMs: () => MINUTE,
      look: () => TREE,
      isServing: () => false,
    });
    for (let at = watch.dueAt; watch.health === null; at = watch.dueAt) watch.look(at, false);
    expect(watch.health.kind).toBe('stalled');
    expect([watch.output(100 * SECOND), watch.health]).toEqual([true, null]);
    expect([watch.output(101 * SECOND), watch.dueAt]).toEqual([false, 116 * SECOND]);
    watch.typed(102 * SECOND);
    expect(watch.dueAt).toBe(105 * SECOND);
    watch.signalled(103 * SECOND);
    expect(watch.dueAt).toBe(103.2 * SECOND);
  });
});

test('[SPEED-5] a hundred quiet sessions are examined at less than one moment in two seconds, over any ten minutes', () => {
  const ticks = new Set<number>();
  for (let session = 0; session < 100; session++) {
    const options = { pid: 7, stalledAfterMs: () => 10 * MINUTE, look: () => TREE, isServing: () => false };
    const watch = new HealthWatch(session * 137, options);
    for (let now = watch.dueAt; now <= 60 * MINUTE; now = watch.dueAt) {
      ticks.add(now);
      watch.look(now, false);
    }
  }
  for (let from = 0; from < 60 * MINUTE; from += 10 * MINUTE) {
    const looks = [...ticks].filter((at) => at >= from && at < from + 10 * MINUTE).length;
    expect(looks / ((10 * MINUTE) / SECOND)).toBeLessThan(0.5);
  }
});
