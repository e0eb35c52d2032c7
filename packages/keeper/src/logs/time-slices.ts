/**
 * Makes readers of history take turns. A read of compressed history costs up to a millisecond, and sixteen readers at once would
 * delay all other work. After a few milliseconds the rest wait for the next turn of the event loop, and whatever has arrived
 * meanwhile is served first. Keeps a part of SLOW-4, its last sentence: readers take turns.
 */

/**
 * The time for reading and sending history in each turn of the event loop: the next read begins within it, so a turn is one
 * unpacked frame, or a few reads of unpacked ones. Measured with 16 readers: 1.5 ms did not increase the throughput, and a `get`
 * beside them took 25 to 71 times as long as beside one reader, instead of about twice.
 */
const TURN_MS = 0.3;

/** A reader that can continue later. */
interface Reader {
  pump(): void;
}

export class TimeSlices {
  readonly #later = new Set<Reader>();
  /** The time of the first read of history in this turn; null if there was none yet. */
  #begunAt: number | null = null;

  /** Returns true if the reader may read now. Otherwise `reader` is pumped in another turn. */
  admits(reader: Reader): boolean {
    if (this.#begunAt === null || performance.now() - this.#begunAt < TURN_MS) return true;
    this.#later.add(reader);
    return false;
  }

  /** Reads; the time of this turn is counted from the first read on. */
  read<T>(read: () => T): T {
    if (this.#begunAt === null) {
      this.#begunAt = performance.now();
      setImmediate(() => this.#next());
    }
    return read();
  }

  #next(): void {
    this.#begunAt = null;
    const waiting = [...this.#later];
    this.#later.clear();
    for (const reader of waiting) reader.pump();
  }
}

/** The slices of the whole process: its readers share one thread. */
export const historySlices = new TimeSlices();
