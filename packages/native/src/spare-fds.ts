/**
 * A few fds that are held for nothing, so that they can be given back in the one moment when nothing else is left: fds that
 * another process sends are lost for good if there is no room for them.
 */
import { closeSync, openSync } from 'node:fs';

/** Two sessions' worth. */
const COUNT = 8;

const OUT_OF_FDS: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE']);

/** By then what was waiting for room has taken it. */
const REFILL_MS = 500;

export class SpareFds {
  readonly #fds: number[] = [];
  #refill: NodeJS.Timeout | null = null;

  constructor() {
    this.#fill();
  }

  /** Makes room; takes it back a moment later, as far as there is any. */
  release(): void {
    for (const fd of this.#fds.splice(0)) closeSync(fd);
    this.#refill ??= setTimeout(() => {
      this.#refill = null;
      this.#fill();
    }, REFILL_MS);
  }

  /** Does what needs fds, in the room that is kept for it if there is no other. */
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
      // EMFILE: what we have must do
    }
  }
}
