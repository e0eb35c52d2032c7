import type { FakeKeeper } from './fake-keeper.ts';

/** Waits for one turn of the real loop. */
export function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Waits until there is no more activity. */
export async function quiet(keeper: FakeKeeper): Promise<void> {
  for (let turns = 0, seen = -1; turns < 6; turns = keeper.clock.activity === seen ? turns + 1 : 0) {
    seen = keeper.clock.activity;
    await tick();
  }
}
