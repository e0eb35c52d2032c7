/**
 * Time for tests. It stops while there is activity, and jumps to the next timer when there is none: a test of fifteen seconds of
 * reconnecting takes a few milliseconds, and no test sleeps.
 */
import type { AbortSignalLike } from '../src/index.ts';

/** The number of quiet turns, more than `quiet` waits for: a test that lets the loop settle does not let time pass. */
const QUIET_TURNS = 20;

export class FakeClock {
  #now = 0;
  #timers: { readonly at: number; readonly fire: () => void }[] = [];
  #isRunning = false;
  /** Counts activity elsewhere: while it changes, the clock stops. */
  activity = 0;

  now(): number {
    return this.#now;
  }

  get pendingTimers(): number {
    return this.#timers.length;
  }

  sleep(ms: number, signal?: AbortSignalLike): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (signal?.aborted) resolve();
    const timer = { at: this.#now + ms, fire: resolve };
    this.#timers.push(timer);
    signal?.addEventListener('abort', () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
      resolve();
    });
    if (!this.#isRunning) this.#run();
    return promise;
  }

  /** Lets the clock jump after turns of the real loop without activity. */
  #run(quietTurns = 0, seen = this.activity): void {
    this.#isRunning = this.#timers.length > 0;
    if (!this.#isRunning) return;
    setImmediate(() => {
      if (this.activity !== seen) return this.#run();
      if (quietTurns < QUIET_TURNS) return this.#run(quietTurns + 1, seen);
      const next = this.#timers.toSorted((a, b) => a.at - b.at)[0];
      if (next !== undefined) {
        this.#now = Math.max(this.#now, next.at);
        this.#timers = this.#timers.filter((timer) => timer !== next);
        next.fire();
      }
      this.#run();
    });
  }
}
