/** The clock of a replay: scales recorded times, shortens long pauses, can be paused, and jumps. */

export interface ReplayPace {
  readonly speed: number;
  /** The maximum pause, at normal speed. */
  readonly idleLimitMs: number;
}

/** The longest timer of Node (24 days), beyond which it fires at once; a longer pause uses several timers. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export class ReplayClock {
  readonly #signal: AbortSignal;
  #pace: ReplayPace;
  /** The recorded time of the picture that is shown. */
  #lastAt: number | null = null;
  /** The recorded time that is awaited, and the recorded time left until then, as of `#since`. */
  #dueAt = 0;
  #leftMs = 0;
  #since = 0;
  #jumps = 0;
  #resumed: PromiseWithResolvers<void> | null = null;
  /** Ends the current sleep. */
  #wake: () => void = () => {};

  constructor(pace: ReplayPace, signal: AbortSignal) {
    this.#pace = pace;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#interrupt());
  }

  get pace(): ReplayPace {
    return this.#pace;
  }

  set pace(pace: ReplayPace) {
    this.#leftMs = Math.min(this.#leftNow, pace.idleLimitMs);
    this.#since = performance.now();
    this.#pace = pace;
    this.#wake();
  }

  get isPaused(): boolean {
    return this.#resumed !== null;
  }

  /** The recorded time that has been reached. */
  get position(): number {
    return Math.max(this.#lastAt ?? 0, this.#leftMs > 0 ? this.#dueAt - this.#leftNow : 0);
  }

  /** Resolves when output of that time is due, or with false if the clock has jumped. */
  async until(at: number): Promise<boolean> {
    const jumps = this.#jumps;
    const from = this.#lastAt ?? at;
    this.#dueAt = Math.max(at, from);
    this.#leftMs = Math.min(this.#dueAt - from, this.#pace.idleLimitMs);
    this.#since = performance.now();
    while (!this.#signal.aborted && jumps === this.#jumps) {
      if (this.#resumed) await this.#resumed.promise;
      else if (this.#leftNow > 0) await this.#sleep(this.#leftNow / this.#pace.speed);
      else break;
    }
    if (jumps !== this.#jumps) return false;
    this.#leftMs = 0;
    this.#lastAt = this.#dueAt;
    return true;
  }

  /** Continues from this time. */
  jump(at: number): void {
    this.#jumps++;
    this.#lastAt = at;
    this.#leftMs = 0;
    // A paused clock stays paused, but the wait for its previous time ends.
    this.#resumed?.resolve();
    if (this.#resumed) this.#resumed = Promise.withResolvers();
    this.#wake();
  }

  togglePause(): void {
    this.#leftMs = this.#leftNow;
    this.#since = performance.now();
    if (this.#resumed === null) this.#resumed = Promise.withResolvers();
    else {
      this.#resumed.resolve();
      this.#resumed = null;
    }
    this.#wake();
  }

  get #leftNow(): number {
    if (this.#resumed !== null) return this.#leftMs;
    return Math.max(0, this.#leftMs - (performance.now() - this.#since) * this.#pace.speed);
  }

  #interrupt(): void {
    this.#resumed?.resolve();
    this.#wake();
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(Math.ceil(ms), TIMER_MS_MAX));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
