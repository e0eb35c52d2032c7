/** A stream that is read with `for await`; leaving the loop, `close` and `await using` all end it. */
export abstract class Reading<Item> implements AsyncIterableIterator<Item, undefined> {
  abstract next(): Promise<IteratorResult<Item, undefined>>;

  /** Ends it at once: waiting items are dropped, and the reader's loop ends. It may be called twice. */
  abstract close(): void;

  return(): Promise<IteratorResult<Item, undefined>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}
