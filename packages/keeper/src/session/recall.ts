/**
 * Brings back the sessions that are only on disk, a few at a time, while others are served: a keeper that is begun over
 * twenty thousand ended sessions must not let the running ones wait. One that is asked for by its id comes first.
 */

/** So long the keeper does nothing else; the rest waits for the next turn of the loop. */
const SLICE_MS = 4;

export class Recall {
  /** Null as long as the folder has not been listed. */
  #left: Set<string> | null = null;
  readonly #list: () => Promise<Iterable<string>>;
  readonly #recall: (id: string) => void;
  readonly #listed = Promise.withResolvers<void>();
  readonly #done = Promise.withResolvers<void>();

  /** `recall` reads one session and makes it known. Neither may fail. */
  constructor(list: () => Promise<Iterable<string>>, recall: (id: string) => void) {
    this.#list = list;
    this.#recall = recall;
  }

  /** How many are not back yet. */
  get left(): number {
    return this.#left?.size ?? 0;
  }

  /** From then on `left` is true, and `one` finds what there is. */
  get listed(): Promise<void> {
    return this.#listed.promise;
  }

  /** All are back. */
  get whole(): Promise<void> {
    return this.#done.promise;
  }

  async start(): Promise<void> {
    this.#left = new Set(await this.#list());
    this.#listed.resolve();
    this.#slice(this.#left);
  }

  /** Brings this one back now; false if it is not among those that wait. */
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
