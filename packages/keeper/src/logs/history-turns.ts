/**
 * Who reads history takes turns. A read of compressed history costs up to a millisecond, and sixteen readers at once would keep
 * everybody else waiting for a screenful of them: after a few milliseconds the rest wait for the next turn of the loop, and
 * whatever has arrived meanwhile is served first.
 */

/** So long in each turn of the loop. */
const TURN_MS = 3;

/** Somebody who can go on later. */
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

  /** Reads, and counts what that takes. */
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
