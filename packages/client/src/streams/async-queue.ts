/** The reader's end of a stream: hands out the next item, and the end. The items themselves are stored elsewhere. */
export class AsyncQueue<T> {
  readonly #take: () => T | undefined;
  readonly #readers: PromiseWithResolvers<IteratorResult<T, undefined>>[] = [];
  #end: { readonly error: unknown } | null = null;

  /** `take` returns the next waiting item, and records that it has been handed out. */
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

  /** An item may be waiting now. */
  flush(): void {
    while (this.#readers.length > 0) {
      const value = this.#take();
      if (value === undefined) break;
      this.#readers.shift()!.resolve({ done: false, value });
    }
    if (this.#end === null) return;
    for (const reader of this.#readers.splice(0)) this.#sayEnd().then(reader.resolve, reader.reject);
  }

  /** Ends the stream after the waiting items. An error is thrown once, to one reader. */
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
