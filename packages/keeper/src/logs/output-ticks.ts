/**
 * Takes the output of agents that stream at common ticks: a model writes fifty small pieces a second, and for each of them
 * the keeper and the driver would wake up. Keeps EVT-8: a piece after a pause is taken at once, and an agent that pauses
 * leaves the ticks (decision 088).
 */

/** What a reader of the events may wait for the next words of a running text. */
export const TICK_MS = 100;

/** This many pieces in a row, each so soon after the one before, are a stream. */
const PIECES = 8;
const SOON_MS = 200;

/** A pipe holds 64 KiB: an agent that writes this much between two ticks must not wait for the next. */
const MUCH_BYTES = 16 * 1024;

export interface Ticked {
  /** Stores what is there; returns how many bytes that were. */
  take(): number;
  /** Whether output is reported when it comes. */
  setReported(isReported: boolean): void;
}

export class OutputTicks {
  readonly #resting = new Set<Ticked>();
  readonly #streams = new WeakMap<Ticked, { pieces: number; at: number }>();
  #timer: NodeJS.Timeout | null = null;

  /** The source has stored this many bytes. */
  took(source: Ticked, bytes: number): void {
    const at = performance.now();
    const before = this.#streams.get(source);
    const pieces = before && at - before.at < SOON_MS ? before.pieces + 1 : 1;
    this.#streams.set(source, { pieces, at });
    if (bytes > MUCH_BYTES) return this.hurry(source);
    if (pieces < PIECES || this.#resting.has(source)) return;
    this.#resting.add(source);
    source.setReported(false);
    this.#timer ??= setTimeout(() => this.#tick(), TICK_MS);
  }

  /** Somebody waits for what comes next. */
  hurry(source: Ticked): void {
    this.#streams.delete(source);
    if (!this.#resting.delete(source)) return;
    source.setReported(true);
    if (this.#resting.size > 0 || this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  #tick(): void {
    this.#timer = null;
    for (const source of [...this.#resting]) if (this.#resting.has(source) && source.take() === 0) this.hurry(source);
    if (this.#resting.size > 0) this.#timer ??= setTimeout(() => this.#tick(), TICK_MS);
  }
}
