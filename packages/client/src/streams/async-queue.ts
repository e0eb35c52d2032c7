/** The reader's end of something that goes on: who waits for the next item, and how it ends. What waits is kept elsewhere. */
export class AsyncQueue<T> {
  readonly #take: () => T | undefined;
  readonly #readers: PromiseWithResolvers<IteratorResult<T, undefined>>[] = [];
  #end: { readonly error: unknown } | null = null;

  /** `take` gives the next item that waits, and notes that it has been handed out. */
  constructor(take: () => T | undefined) {
    this.#take = take;
  }

  get isEnded(): boolean {
    return this.#end !== null;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const value = this.#take();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#end !== null) return this.#sayEnd();
    const reader = Promise.withResolvers<IteratorResult<T, undefined>>();
    this.#readers.push(reader);
    return reader.promise;
  }

  /** Something may wait now. */
  flush(): void {
    while (this.#readers.length > 0) {
      const value = this.#take();
      if (value === undefined) break;
      this.#readers.shift()!.resolve({ done: false, value });
    }
    if (this.#end === null) return;
    for (const reader of this.#readers.splice(0)) this.#sayEnd().then(reader.resolve, reader.reject);
  }

  /** Ends it, after what still waits. An error is told once, to one reader. */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.flush();
  }

  #sayEnd(): Promise<IteratorResult<T, undefined>> {
    const { error } = this.#end!;
    this.#end = { error: undefined };
    return error === undefined ? Promise.resolve({ done: true, value: undefined }) : Promise.reject(error);
  }
}
