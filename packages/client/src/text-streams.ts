/**
 * A watch's items as text: a chunker for each stream, in the order of the log. No clock: each item comes with its arrival.
 *
 * A session on pipes has two streams that take turns in one log. What one said before the other is told before it; a
 * character that the other one cut in two is held until it is whole.
 */
import { type TextChunk, TextChunker, type TextChunkOptions } from '@spool/vt';
import type { WatchItem } from './watch-queue.ts';

export type TextItem = Text | Extract<WatchItem, { readonly type: 'gap' | 'exit' | 'removed' }>;

interface Text {
  readonly type: 'text';
  readonly data: string;
  /** When its first byte arrived here, in milliseconds since 1970. */
  readonly ts: number;
  /** Of its first byte, and behind its last one: to go on another day, begin there. */
  readonly offset: number;
  readonly end: number;
  readonly stream: StreamName;
}

/** When something came: `ts` by the calendar, `at` by the clock that only goes forward. */
export interface Arrival {
  readonly ts: number;
  readonly at: number;
}

type StreamName = 'stdout' | 'stderr';

export class TextStreams {
  readonly #streams: Readonly<Record<StreamName, StreamText>>;
  /** The one that was heard last: only it has more than half a character to give. */
  #last: StreamText;

  constructor(options: TextChunkOptions) {
    this.#streams = { stdout: new StreamText('stdout', options), stderr: new StreamText('stderr', options) };
    this.#last = this.#streams.stdout;
  }

  /** When the first of what `flush` would give came; undefined when there is nothing. */
  get heldAt(): number | undefined {
    return this.#last.heldAt;
  }

  /** What is complete by this item. */
  hear(item: WatchItem, arrival: Arrival): readonly TextItem[] {
    switch (item.type) {
      case 'output': {
        const stream = this.#streams[item.stream];
        const before = stream === this.#last ? [] : this.#last.flush();
        this.#last = stream;
        return [...before, ...stream.feed(item.bytes, item.offset, arrival)];
      }
      case 'gap':
        return [...this.end(item.to), item];
      case 'exit':
      case 'removed':
        return [...this.end(), item];
      default:
        return [];
    }
  }

  flush(): readonly TextItem[] {
    return this.#last.flush();
  }

  /** All that is left, however unfinished; what comes afterwards lies elsewhere, if so told. */
  end(goesOnAt?: number): readonly TextItem[] {
    const { stdout, stderr } = this.#streams;
    return [...stdout.end(goesOnAt), ...stderr.end(goesOnAt)].sort((one, other) => one.offset - other.offset);
  }
}

/** One stream's text: its chunks, and when their first bytes came. */
class StreamText {
  readonly #name: StreamName;
  readonly #chunker: TextChunker;
  /** Of the first byte that was not given out. */
  #arrival: Arrival = { ts: 0, at: 0 };

  constructor(name: StreamName, options: TextChunkOptions) {
    this.#name = name;
    this.#chunker = new TextChunker(options);
  }

  get heldAt(): number | undefined {
    return this.#chunker.isEmpty ? undefined : this.#arrival.at;
  }

  feed(bytes: Uint8Array, offset: number, arrival: Arrival): Text[] {
    const before = this.#arrival;
    const chunks = this.#chunker.feed(bytes, offset);
    if (this.#chunker.offset >= offset) this.#arrival = arrival;
    return chunks.map((chunk) => this.#text(chunk, chunk.offset < offset ? before : arrival));
  }

  flush(): Text[] {
    return this.#chunker.flush().map((chunk) => this.#text(chunk, this.#arrival));
  }

  end(goesOnAt?: number): Text[] {
    const chunks = goesOnAt === undefined ? this.#chunker.end() : this.#chunker.reset(goesOnAt);
    return chunks.map((chunk) => this.#text(chunk, this.#arrival));
  }

  #text({ data, offset, end }: TextChunk, { ts }: Arrival): Text {
    return { type: 'text', data, ts, offset, end, stream: this.#name };
  }
}
