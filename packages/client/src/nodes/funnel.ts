/**
 * Joins several producers into one stream. Each producer waits until its item is taken, so the stream holds one item of each at most.
 */
export class Funnel<T> implements AsyncIterable<T> {
  readonly #items: { readonly item: T; readonly taken: () => void }[] = [];
  #wake: (() => void) | null = null;
  #end: { readonly error?: unknown } | null = null;

  get isEnded(): boolean {
    return this.#end !== null;
  }

  /** Resolves when the item was taken, or will never be. */
  put(item: T): Promise<void> {
    if (this.#end !== null) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#items.push({ item, taken: resolve });
    this.#wake?.();
    return promise;
  }

  /** Ends the stream after the waiting items. */
  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    try {
      for (;;) {
        const next = this.#items.shift();
        if (next !== undefined) {
          next.taken();
          yield next.item;
        } else if (this.#end === null) {
          const { promise, resolve } = Promise.withResolvers<void>();
          this.#wake = resolve;
          await promise;
          this.#wake = null;
        } else if ('error' in this.#end) throw this.#end.error;
        else return;
      }
    } finally {
      this.end();
      for (const { taken } of this.#items.splice(0)) taken();
    }
  }
}
