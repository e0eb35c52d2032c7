import { expect, test } from 'vitest';
import { SteadyClock } from './steady-clock.ts';

function clocks(): { clock: SteadyClock; pass: (ms: number) => void; set: (ms: number) => void } {
  let wall = 1_000_000_000;
  let monotonic = 500;
  return {
    clock: new SteadyClock(
      () => wall,
      () => monotonic,
    ),
    pass: (ms) => {
      wall += ms;
      monotonic += ms;
    },
    set: (ms) => (wall += ms),
  };
}

const HOUR_MS = 3_600_000;

test('[STATE-1] a wall clock that is set back delays nothing: time goes on evenly', () => {
  const { clock, pass, set } = clocks();
  const before = clock.now();
  set(-HOUR_MS);
  pass(5000);
  expect(clock.now() - before).toBe(5000);
  pass(2 * HOUR_MS);
  expect(clock.now() - before).toBe(5000 + 2 * HOUR_MS);
});

test('a jump forward is followed: a laptop has slept', () => {
  const { clock, pass, set } = clocks();
  const before = clock.now();
  set(HOUR_MS);
  pass(10);
  expect(clock.now() - before).toBe(HOUR_MS + 10);
});

test('what is shown is what the wall clock says', () => {
  const { clock, pass, set } = clocks();
  const before = clock.now();
  expect(clock.wallOf(before)).toBe(before);
  set(-HOUR_MS);
  pass(5000);
  expect(clock.wallOf(clock.now())).toBe(before - HOUR_MS + 5000);
  expect(clock.wallOf(clock.now() - 2000)).toBe(before - HOUR_MS + 3000);
});
