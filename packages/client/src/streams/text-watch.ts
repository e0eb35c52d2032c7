/**
 * A session's output as text, for pages and programs that show what goes on: a watch whose bytes come as decoded chunks.
 *
 * The first bytes after a pause are given out at once; what follows is gathered, for `flushMs` or `maxBytes`, whichever is
 * first. The last bytes before a pause go by time, too, and never wait for more. With `line` and `semantic` what is whole
 * goes at once, and what is not (a prompt, perhaps) after `flushMs`. Only half a character or half an escape sequence waits
 * longer: for its other half, or the end.
 *
 * It reads from its watch only while somebody reads from it, so memory is bounded by the watch's credit.
 */
import type { Arrival, Chunking, StreamChunk, TextStreams } from '@spool/vt';
import { Reading } from './reading.ts';
import { abortController, type Runtime } from '../link/runtime.ts';
import type { Watch, WatchOptions } from './watch.ts';
import type { WatchItem } from './watch-queue.ts';

export interface TextWatchOptions extends WatchOptions {
  /** `raw` unless told. See `Chunking`. */
  readonly chunking?: Chunking | undefined;
  /** How long text may be gathered, 100 unless told. A page that shows it live wants 16. */
  readonly flushMs?: number | undefined;
  /** How much of it, 4096 unless told. */
  readonly maxBytes?: number | undefined;
  /** Escape sequences: `keep` unless told. */
  readonly ansi?: 'keep' | 'strip' | undefined;
}

export type TextItem =
  | ({ readonly type: 'text' } & StreamChunk)
  | Extract<WatchItem, { readonly type: 'gap' | 'exit' | 'removed' }>;

export class TextWatch extends Reading<TextItem> {
  readonly #watch: Watch;
  readonly #time: Pick<Runtime, 'now' | 'sleep'>;
  readonly #options: TextWatchOptions;
  readonly #items: AsyncGenerator<TextItem, undefined>;
  /** When text was last given out. */
  #givenAt = -Infinity;
  #coming: Promise<Coming> | null = null;

  constructor(watch: Watch, time: Pick<Runtime, 'now' | 'sleep'>, options: TextWatchOptions = {}) {
    super();
    this.#watch = watch;
    this.#time = time;
    this.#options = options;
    this.#items = this.#run();
  }

  /** The full id of the session, once the daemon has answered. */
  get id(): string | undefined {
    return this.#watch.id;
  }

  next(): Promise<IteratorResult<TextItem, undefined>> {
    return this.#items.next();
  }

  close(): void {
    this.#watch.close();
    void this.#items.return(undefined);
  }

  async *#run(): AsyncGenerator<TextItem, undefined> {
    // What knows terminals is several times the rest of this package, and most programs do without: loaded when needed.
    const { TextStreams } = await import('@spool/vt');
    const streams = new TextStreams(this.#options);
    for (;;) {
      let coming: Coming | 'due';
      try {
        coming = await this.#nextOrDue(streams.dueAt(this.#givenAt));
      } catch (error) {
        if (!this.#options.signal?.aborted) yield* texts(streams.end());
        throw error;
      }
      if (coming !== 'due' && coming.item === undefined) return;
      for (const item of coming === 'due' ? texts(streams.flush()) : handle(streams, coming.item!, coming)) {
        if (item.type === 'text') this.#givenAt = this.#time.now();
        yield item;
      }
    }
  }

  /** What comes next from the watch; or `due`, when what is held must not wait for it. */
  async #nextOrDue(dueAt: number | undefined): Promise<Coming | 'due'> {
    if (this.#coming === null) {
      this.#coming = this.#watch.next().then(({ value }) => ({ item: value, ts: Date.now(), at: this.#time.now() }));
      this.#coming.catch(() => {}); // told to whoever waits for it next
    }
    const coming = this.#coming;
    if (dueAt !== undefined) {
      const waitMs = dueAt - this.#time.now();
      if (waitMs <= 0) return 'due';
      const arrived = abortController();
      const isDue = this.#time.sleep(waitMs, arrived.signal).then(() => 'due' as const);
      const first = await Promise.race([coming, isDue]).finally(() => arrived.abort());
      if (first === 'due') return first;
    }
    this.#coming = null;
    return coming;
  }
}

/** The watch's next item, none at its end, and when it came. */
interface Coming extends Arrival {
  readonly item: WatchItem | undefined;
}

/** What is complete by this item. */
function handle(streams: TextStreams, item: WatchItem, arrival: Arrival): readonly TextItem[] {
  switch (item.type) {
    case 'output':
      return texts(streams.feed(item.stream, item.bytes, item.offset, arrival));
    case 'gap':
      return [...texts(streams.end(item.to)), item];
    case 'exit':
    case 'removed':
      return [...texts(streams.end()), item];
    default:
      return [];
  }
}

function texts(chunks: readonly StreamChunk[]): readonly TextItem[] {
  return chunks.map((chunk) => ({ type: 'text', ...chunk }));
}

export interface SubscribeOptions extends Omit<TextWatchOptions, 'from'> {
  /**
   * Told what went wrong: there is no such session, the daemon is gone for good, the callback threw. Unless told, that is an
   * unhandled rejection: nobody should wait in silence for a session that is not there.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Hands each piece of text to `callback` until the session ends or the function that is returned is called. */
export function callWithText(
  watch: TextWatch,
  callback: (data: string, ts: number) => void,
  { onError = leaveUnhandled, signal }: SubscribeOptions,
): () => void {
  let isOver = false;
  const follow = async (): Promise<void> => {
    for await (const item of watch) {
      if (isOver) return; // it was on its way when the subscription ended
      if (item.type !== 'text') continue;
      try {
        callback(item.data, item.ts);
      } catch (error) {
        onError(error);
      }
    }
  };
  follow().catch((error: unknown) => {
    if (!isOver && !signal?.aborted) onError(error); // whoever ended it need not be told
  });
  return () => {
    isOver = true;
    watch.close();
  };
}

function leaveUnhandled(error: unknown): void {
  void Promise.reject(error);
}
