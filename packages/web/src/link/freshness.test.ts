import { expect, test } from 'vitest';
import { Freshness } from './freshness.ts';

function at(): { freshness: Freshness; to(ms: number): number | null } {
  let now = 0;
  const freshness = new Freshness(() => now);
  return {
    freshness,
    to(ms) {
      now = ms;
      return freshness.staleSince();
    },
  };
}

test('[PAGE-21] what is shown is as old as the last word of the daemon, and this is said after three seconds', () => {
  const { freshness, to } = at();
  expect(to(60_000)).toBe(null); // there is no picture yet
  freshness.heard();
  expect([to(62_999), to(63_000), to(100_000)]).toEqual([null, 60_000, 60_000]);
  freshness.heard();
  expect(to(100_100)).toBe(null);
});

test('[PAGE-21] a picture that fell behind is old until it was fetched anew, whatever else is heard', () => {
  const { freshness, to } = at();
  const picture = {};
  to(10_000);
  freshness.heard();
  to(10_500);
  freshness.fellBehind(picture);
  to(13_000);
  freshness.heard();
  freshness.fellBehind(picture);
  expect(to(13_000)).toBe(10_000);
  freshness.renewed(picture);
  expect(to(13_100)).toBe(null);
});

test('a page that wakes up hears first whether the daemon is there', () => {
  const { freshness, to } = at();
  to(10_000);
  freshness.heard();
  to(100_000);
  freshness.woke();
  expect([to(100_900), to(101_000)]).toEqual([null, 10_000]);
});
