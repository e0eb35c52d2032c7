/**
 * The reader's end of a stream: returns the next item, or the end. The items themselves are stored elsewhere. It ends once: by its
 * source (`end`), by its reader (`close`) or by the reader's signal.
 */
import { abortReason } from '../link/connection.ts';
import { abortController } from '../link/abort.ts';
import type { AbortSignalLike } from '../link/runtime.ts';

export interface AsyncQueueOptions<T> {
  readonly signal?: AbortSignalLike | undefined;
  /** Returns the next waiting item, and records that it was taken. */
  take(): T | undefined;
  /** Drops all waiting items. */
  drop(): void;
  /** Called once, when the reader stops or the source ends. */
  onEnd?(): void;
}

export class AsyncQueue<T> {
  readonly #options: AsyncQueueOptions<T>;
  readonly #readers: PromiseWithResolvers<IteratorResult<T, undefined>>[] = [];
  readonly #ended = abortController();
  #end: { readonly error: unknown } | null = null;

  constructor(options: AsyncQueueOptions<T>) {
    this.#options = options;
    const { signal } = options;
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted) this.#onAbort();
  }

  get isEnded(): boolean {
    return this.#end !== null;
  }

  /** Whether a reader waits, so that there is nothing to read. */
  get isAwaited(): boolean {
    return this.#readers.length > 0;
  }

  /** Aborted at the end: for all work on behalf of this stream. */
  get ended(): AbortSignalLike {
    return this.#ended.signal;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const value = this.#options.take();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#end !== null) return this.#sayEnd();
    const reader = Promise.withResolvers<IteratorResult<T, undefined>>();
    this.#readers.push(reader);
    return reader.promise;
  }

  /** Notes that an item may be waiting now. */
  flush(): void {
    while (this.#readers.length > 0) {
      const value = this.#options.take();
      if (value === undefined) break;
      this.#readers.shift()!.resolve({ done: false, value });
    }
    if (this.#end === null) return;
    for (const reader of this.#readers.splice(0)) this.#sayEnd().then(reader.resolve, reader.reject);
  }

  /** Ends the stream after the waiting items. An error is thrown once, to one reader. */
  end(error?: unknown): void {
    if (this.#end !== null) return;
    this.#end = { error };
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#options.onEnd?.();
    this.#ended.abort();
    this.flush();
  }

  /** Ends the stream at once, without the waiting items. */
  close(error?: unknown): void {
    this.#options.drop();
    this.end(error);
  }

  readonly #onAbort = (): void => this.close(abortReason(this.#options.signal!));

  #sayEnd(): Promise<IteratorResult<T, undefined>> {
    const { error } = this.#end!;
    this.#end = { error: undefined };
    return error === undefined ? Promise.resolve({ done: true, value: undefined }) : Promise.reject(error);
  }
}
