/**
 * Tracks sessions whose fds arrived while there was no room for them. They are requested again, one after the other;
 * work that needs all sessions waits until then.
 */
import type { SpareFds } from './spare-fds.ts';

/** The pause before the next request: other fds may be closed meanwhile. */
const ASK_AGAIN_MS = 100;

export class MissedSessions {
  readonly #askAgain: (id: string) => void;
  readonly #spare: SpareFds;
  readonly #ids = new Set<string>();
  readonly #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(spare: SpareFds, askAgain: (id: string) => void) {
    this.#spare = spare;
    this.#askAgain = askAgain;
  }

  miss(id: string): void {
    this.#spare.release();
    this.#ids.add(id);
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      const [next] = this.#ids;
      if (next !== undefined) this.#askAgain(next);
    }, ASK_AGAIN_MS);
  }

  got(id: string): void {
    if (!this.#ids.delete(id)) return;
    const [next] = this.#ids;
    if (next !== undefined) this.miss(next);
    else for (const callback of this.#waiting.splice(0)) callback();
  }

  /** Calls back when no session is missing: usually at once. */
  whenComplete(callback: () => void): void {
    if (this.#ids.size === 0) callback();
    else this.#waiting.push(callback);
  }

  /** Forgets the missing sessions: the process that could have sent them is gone. */
  clear(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#ids.clear();
    this.#waiting.length = 0;
  }
}
