/**
 * Keeps a few fds in reserve, to be released if no others are left: if another process sends fds and there is no room, they are
 * lost for good.
 */
import { closeSync, openSync } from 'node:fs';

/** The size of the reserve, enough for two sessions. */
const COUNT = 8;

const OUT_OF_FDS: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE']);

/** The time after which the reserve is filled again, when the released fds are in use. */
const REFILL_MS = 500;

export class SpareFds {
  readonly #fds: number[] = [];
  #refill: NodeJS.Timeout | null = null;

  constructor() {
    this.#fill();
  }

  /** Releases the reserve, and fills it again a moment later, as far as possible. */
  release(): void {
    for (const fd of this.#fds.splice(0)) closeSync(fd);
    this.#refill ??= setTimeout(() => {
      this.#refill = null;
      this.#fill();
    }, REFILL_MS);
  }

  /** Runs code that needs fds, using the reserve if there are no others. */
  use<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (!OUT_OF_FDS.has((error as NodeJS.ErrnoException).code)) throw error;
      this.release();
      return act();
    }
  }

  #fill(): void {
    try {
      while (this.#fds.length < COUNT) this.#fds.push(openSync('/dev/null', 'r'));
    } catch {
      // EMFILE: continue with a smaller reserve
    }
  }
}
