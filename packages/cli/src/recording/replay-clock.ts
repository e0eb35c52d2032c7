/** The clock of a replay: scales recorded times, shortens long pauses, and can be paused. */

export interface ReplayPace {
  readonly speed: number;
  /** The maximum pause, at normal speed. */
  readonly idleLimitMs: number;
}

/** Node's timers fire at once beyond this (24 days), so a longer pause uses several timers. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export class ReplayClock {
  readonly #pace: ReplayPace;
  readonly #signal: AbortSignal;
  #lastAt: number | null = null;
  #resumed: PromiseWithResolvers<void> | null = null;
  /** Ends the current pause. */
  #wake: () => void = () => {};

  constructor(pace: ReplayPace, signal: AbortSignal) {
    this.#pace = pace;
    this.#signal = signal;
    signal.addEventListener('abort', () => {
      this.#resumed?.resolve();
      this.#wake();
    });
  }

  /** Resolves when output of that time is due. */
  async until(at: number): Promise<void> {
    const { speed, idleLimitMs } = this.#pace;
    let leftMs = Math.min(Math.max(0, at - (this.#lastAt ?? at)), idleLimitMs) / speed;
    this.#lastAt = Math.max(at, this.#lastAt ?? at);
    while (leftMs > 0 && !this.#signal.aborted) {
      await this.#resumed?.promise;
      if (this.#signal.aborted) return;
      const from = performance.now();
      await this.#sleep(leftMs);
      leftMs -= performance.now() - from;
    }
    await this.#resumed?.promise;
  }

  togglePause(): void {
    if (this.#resumed === null) {
      this.#resumed = Promise.withResolvers();
      this.#wake();
    } else {
      this.#resumed.resolve();
      this.#resumed = null;
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, TIMER_MS_MAX));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
