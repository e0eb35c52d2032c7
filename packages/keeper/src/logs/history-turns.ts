/**
 * Makes readers of history take turns. A read of compressed history costs up to a millisecond, and sixteen readers at
 * once would delay all other work. After a few milliseconds the rest wait for the next turn of the event loop, and
 * whatever has arrived meanwhile is served first. Keeps the second half of SLOW-4.
 */

/**
 * The time for history in each turn of the event loop. One read may exceed it, so a turn is one unpacked frame, or a few
 * reads of unpacked ones. Measured with 16 readers: 1.5 ms gave no more bytes a second, and a `get` beside
 * them took 25 to 71 times as long as beside one reader, instead of about twice.
 */
const TURN_MS = 0.4;

/** A reader that can continue later. */
interface Reader {
  pump(): void;
}

export class HistoryTurns {
  readonly #later = new Set<Reader>();
  #spentMs = 0;
  #isTurnAhead = false;

  /** True: read now. False: `reader` is pumped in another turn. */
  admits(reader: Reader): boolean {
    if (this.#spentMs < TURN_MS) return true;
    this.#later.add(reader);
    return false;
  }

  /** Reads, and counts the time it takes. */
  read<T>(read: () => T): T {
    const startedAt = performance.now();
    const result = read();
    this.#spentMs += performance.now() - startedAt;
    if (!this.#isTurnAhead) {
      this.#isTurnAhead = true;
      setImmediate(() => this.#next());
    }
    return result;
  }

  #next(): void {
    this.#isTurnAhead = false;
    this.#spentMs = 0;
    const waiting = [...this.#later];
    this.#later.clear();
    for (const reader of waiting) reader.pump();
  }
}

/** All readers of the process share one thread, so they share the turns. */
export const historyTurns = new HistoryTurns();
