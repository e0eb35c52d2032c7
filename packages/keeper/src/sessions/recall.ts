/**
 * Reads the sessions that are only on disk, a few at a time, between requests: a new keeper with twenty thousand ended
 * sessions must not delay the running ones. A session that is requested by its id is read first. Keeps LIST-3.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The longest time for which the keeper handles no other work; the rest waits for the next turn of the event loop. A request of a
 * new client takes several turns (connect, hello, request), so each turn delays it by a slice.
 */
const SLICE_MS = 0.5;

export class Recall {
  /** The ids that are not read yet; null until the folder has been listed. */
  #left: Set<string> | null = null;
  readonly #list: () => Promise<Iterable<string>>;
  readonly #recall: (id: string) => void;
  readonly #listed = Promise.withResolvers<void>();
  readonly #done = Promise.withResolvers<void>();

  /** `recall` reads one session and registers it. Neither function may fail. */
  constructor(list: () => Promise<Iterable<string>>, recall: (id: string) => void) {
    this.#list = list;
    this.#recall = recall;
  }

  /** The number of sessions that are not read yet. */
  get left(): number {
    return this.#left?.size ?? 0;
  }

  /** Resolves when the folder has been listed: after that, `left` is accurate, and `one` finds every session. */
  get listed(): Promise<void> {
    return this.#listed.promise;
  }

  /** Resolves when all sessions are read. */
  get whole(): Promise<void> {
    return this.#done.promise;
  }

  async start(): Promise<void> {
    this.#left = new Set(await this.#list());
    this.#listed.resolve();
    await nextTurn(); // listing some thousand names took a whole slice
    this.#slice(this.#left);
  }

  /** Reads this session now; returns false if it is not waiting to be read. */
  one(id: string): boolean {
    if (!this.#left?.delete(id)) return false;
    this.#recall(id);
    return true;
  }

  #slice(left: Set<string>): void {
    const until = performance.now() + SLICE_MS;
    for (const id of left) {
      left.delete(id);
      this.#recall(id);
      if (performance.now() >= until) return void setImmediate(() => this.#slice(left));
    }
    this.#done.resolve();
  }
}
