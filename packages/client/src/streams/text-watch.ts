/**
 * A session's output as text, for pages and programs that show it live: a watch whose bytes are returned as decoded chunks.
 *
 * The first bytes after a pause are returned at once; later bytes are collected, for `flushMs` or `maxBytes`, whichever is first.
 * The last bytes before a pause are flushed by time too, without waiting for more. With `line` and `semantic`, complete units are
 * returned at once, and incomplete ones (a prompt, perhaps) after `flushMs`. Only half a character or half an escape sequence waits
 * longer, until it is complete or the output ends.
 *
 * It reads its watch only on demand, so memory is bounded by the watch's credit.
 */
import type { Ansi, Arrival, ChunkingMode, StreamChunk, TextStreams } from '@spool/vt';
import { Reading } from './reading.ts';
import { abortController } from '../link/abort.ts';
import type { Runtime } from '../link/runtime.ts';
import type { Watch, WatchOptions } from './watch.ts';
import type { WatchItem } from './watch-queue.ts';

export interface TextWatchOptions extends WatchOptions {
  /** The way in which the text is split (default: `raw`). See `ChunkingMode`. */
  readonly chunking?: ChunkingMode | undefined;
  /** The maximum time for which text is collected (default: 100). A page that shows it live needs 16. */
  readonly flushMs?: number | undefined;
  /** The maximum amount of text that is collected (default: 4096). */
  readonly maxBytes?: number | undefined;
  /** The handling of escape sequences (default: `keep`). See `Ansi`. */
  readonly ansi?: Ansi | undefined;
}

export type TextItem =
  | ({ readonly type: 'text' } & StreamChunk)
  | Extract<WatchItem, { readonly type: 'gap' | 'exit' | 'removed' }>;

export class TextWatch extends Reading<TextItem> {
  readonly #watch: Watch;
  readonly #time: Pick<Runtime, 'now' | 'sleep'>;
  readonly #options: TextWatchOptions;
  readonly #items: AsyncGenerator<TextItem, undefined>;
  /** The time when text was last returned. */
  #givenAt = -Infinity;
  #coming: Promise<NextItem> | null = null;

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
    // The terminal code is several times the size of the rest of this package, and most programs do not need it: loaded
    // on demand.
    const { TextStreams } = await import('@spool/vt');
    const streams = new TextStreams(this.#options);
    for (;;) {
      let coming: NextItem | 'due';
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

  /** Returns the next item of the watch, or `due` if the held text must not wait for it. */
  async #nextOrDue(dueAt: number | undefined): Promise<NextItem | 'due'> {
    if (this.#coming === null) {
      this.#coming = this.#watch.next().then(({ value }) => ({ item: value, ts: Date.now(), at: this.#time.now() }));
      this.#coming.catch(() => {}); // the error is thrown at the next call that waits for it
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

/** The watch's next item, undefined at its end, and its arrival time. */
interface NextItem extends Arrival {
  readonly item: WatchItem | undefined;
}

/** Returns the items that are complete with this one. */
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
