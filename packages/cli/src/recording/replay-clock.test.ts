import { expect, test, vi } from 'vitest';
import { ReplayClock } from './replay-clock.ts';

/** Runs `play` on a clock that does not wait, and returns how long it took. */
async function took(
  play: (clock: ReplayClock, leave: () => void) => Promise<void>,
  speed = 1,
  idleLimitMs = Infinity,
): Promise<number> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const leaving = new AbortController();
    const clock = new ReplayClock({ speed, idleLimitMs }, leaving.signal);
    const from = performance.now();
    const done = play(clock, () => leaving.abort()).then(() => performance.now());
    await vi.advanceTimersByTimeAsync(60_000);
    return Math.round(((await done) - from) / 10) * 10;
  } finally {
    vi.useRealTimers();
  }
}

const three = async (clock: ReplayClock): Promise<void> => {
  for (const at of [5000, 5400, 9400]) await clock.until(at);
};

test('the first comes at once, the others in their time, or faster, or without the long waits', async () => {
  expect(await took(three)).toBe(4400);
  expect(await took(three, 10)).toBe(440);
  expect(await took(three, 1, 1000)).toBe(1400);
  expect(await took(three, 2, 1000)).toBe(700);
});

test('a pause stops it, and it goes on with what was left; who leaves waits no longer', async () => {
  const paused = async (clock: ReplayClock): Promise<void> => {
    setTimeout(() => clock.togglePause(), 1000);
    setTimeout(() => clock.togglePause(), 3000);
    await three(clock);
  };
  expect(await took(paused)).toBe(6400);
  const left = async (clock: ReplayClock, leave: () => void): Promise<void> => {
    setTimeout(() => clock.togglePause(), 100);
    setTimeout(leave, 500);
    await three(clock);
  };
  expect(await took(left)).toBeLessThanOrEqual(510);
});

test('a pause that is longer than a timer can be is waited for, not spun through', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const clock = new ReplayClock({ speed: 1e-6, idleLimitMs: Infinity }, new AbortController().signal);
    await clock.until(0);
    let isOver = false;
    const over = clock.until(3000).then(() => (isOver = true));
    await vi.advanceTimersToNextTimerAsync();
    expect([performance.now() > 1e9, isOver]).toEqual([true, false]);
    await vi.advanceTimersToNextTimerAsync();
    await over;
  } finally {
    vi.useRealTimers();
  }
});

test('[PAST-6] a jump ends the wait, and the clock goes on from there; a pause stays one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const clock = new ReplayClock({ speed: 1, idleLimitMs: Infinity }, new AbortController().signal);
    expect(await clock.until(1000)).toBe(true);
    const waiting = clock.until(9000);
    await vi.advanceTimersByTimeAsync(2000);
    expect(clock.position).toBe(3000);
    clock.jump(50_000);
    expect([await waiting, clock.position]).toEqual([false, 50_000]);
    clock.togglePause();
    const paused = clock.until(51_000);
    await vi.advanceTimersByTimeAsync(5000);
    expect([clock.position, clock.isPaused]).toEqual([50_000, true]);
    clock.jump(70_000);
    expect([await paused, clock.isPaused]).toEqual([false, true]);
  } finally {
    vi.useRealTimers();
  }
});

test('[PAST-6] speed and silence can be changed while it waits', async () => {
  const faster = async (clock: ReplayClock): Promise<void> => {
    setTimeout(() => (clock.pace = { ...clock.pace, speed: 4 }), 1400);
    await three(clock);
  };
  expect(await took(faster)).toBe(2150);
  const skipping = async (clock: ReplayClock): Promise<void> => {
    setTimeout(() => (clock.pace = { ...clock.pace, idleLimitMs: 500 }), 1400);
    await three(clock);
  };
  expect(await took(skipping)).toBe(1900);
});
