/**
 * The clock for all durations: how long a session has been silent, when to look again. It is wall-clock time as long as that only
 * moves forward, even by a jump (a laptop that slept). When the wall clock is set back, this clock continues evenly, so that no
 * wait depends on the wall clock catching up.
 *
 * Times that are shown or stored are wall-clock times: `wallOf`.
 */
export class SteadyClock {
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  #last: number;
  #lastMonotonic: number;

  constructor(wall: () => number = Date.now, monotonic: () => number = () => performance.now()) {
    this.#wall = wall;
    this.#monotonic = monotonic;
    this.#last = wall();
    this.#lastMonotonic = monotonic();
  }

  now(): number {
    const monotonic = this.#monotonic();
    const even = this.#last + Math.max(0, monotonic - this.#lastMonotonic);
    this.#lastMonotonic = monotonic;
    const wall = this.#wall();
    // The two clocks are truncated at different fractions of a millisecond, and the wall clock is slewed now and then.
    this.#last = even - wall > SET_BACK_MS_MIN ? even : Math.max(wall, this.#last);
    return Math.floor(this.#last);
  }

  /** Returns the wall-clock time of a moment of this clock. */
  wallOf(at: number): number {
    const lead = this.now() - this.#wall();
    return lead > SET_BACK_MS_MIN ? at - lead : at;
  }
}

const SET_BACK_MS_MIN = 1000;

const clock = new SteadyClock();

export const steadyNow = (): number => clock.now();

export const wallOf = (at: number): number => clock.wallOf(at);
