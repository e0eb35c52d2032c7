/**
 * Takes the output of agents that stream at common ticks: a model writes fifty small pieces a second, and the keeper and the driver
 * would wake up for each of them. Keeps EVT-8: a piece after a pause is taken at once, and an agent that pauses leaves the ticks
 * (decision 088).
 */

/** The maximum delay of the next words of a running text for a reader of the events. */
export const TICK_MS = 100;

/** The number of pieces that make a stream, each soon after the previous one. */
const PIECES = 8;
const SOON_MS = 200;

/**
 * The number of bytes that ends the wait for a tick. A pipe holds 64 KiB: an agent that writes this much between two ticks must not
 * be blocked.
 */
const MUCH_BYTES = 16 * 1024;

export interface TickedOutput {
  /** Stores the available bytes; returns their number. */
  take(): number;
  /** Sets whether output is reported as soon as it comes. */
  setReported(isReported: boolean): void;
}

export class OutputTicks {
  readonly #resting = new Set<TickedOutput>();
  readonly #streams = new WeakMap<TickedOutput, { pieces: number; at: number }>();
  #timer: NodeJS.Timeout | null = null;

  /** Notes that the source has stored this many bytes. */
  took(source: TickedOutput, bytes: number): void {
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

  /** Ends the wait for a tick, because a client waits for the next output. */
  hurry(source: TickedOutput): void {
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
