/**
 * The text of a session that may have two streams: a chunker for each, in the order of the log.
 *
 * On pipes the streams take turns in one log. The text of one stream is returned before later text of the other; a
 * character that the other one cut in two is held until it is whole. No clock: each piece comes with its arrival, and
 * `dueAt` is when the caller should flush.
 */
import { LineChunker } from './line-chunker.ts';
import { type TextChunk, TextChunker, type TextChunkOptions } from './text-chunker.ts';

export type StreamName = 'stdout' | 'stderr';

export interface StreamChunk extends TextChunk {
  readonly stream: StreamName;
  /** When its first byte came, in milliseconds since 1970. */
  readonly ts: number;
}

/** When something arrived: `ts` by the calendar, `at` by a monotonic clock. */
export interface Arrival {
  readonly ts: number;
  readonly at: number;
}

export interface TextStreamsOptions extends TextChunkOptions {
  /** How long text may be collected (default: 100). */
  readonly flushMs?: number | undefined;
}

const FLUSH_MS = 100;

export class TextStreams {
  readonly #streams: Readonly<Record<StreamName, StreamText>>;
  readonly #flushMs: number;
  readonly #isRaw: boolean;
  /** The stream with the latest output: only it has more than half a character to return. */
  #last: StreamText;

  constructor(options: TextStreamsOptions = {}) {
    this.#streams = { stdout: new StreamText('stdout', options), stderr: new StreamText('stderr', options) };
    this.#flushMs = options.flushMs ?? FLUSH_MS;
    this.#isRaw = (options.chunking ?? 'raw') === 'raw';
    this.#last = this.#streams.stdout;
  }

  /**
   * When `flush` must not wait any longer, if text was last returned at `givenAt`; undefined when there is nothing.
   * After a pause raw text is returned at once; lines and paragraphs wait for their rest.
   */
  dueAt(givenAt: number): number | undefined {
    const { heldAt } = this.#last;
    return heldAt === undefined ? undefined : (this.#isRaw ? givenAt : heldAt) + this.#flushMs;
  }

  /** The chunks that these bytes complete. */
  feed(stream: StreamName, bytes: Uint8Array, offset: number, arrival: Arrival): readonly StreamChunk[] {
    const now = this.#streams[stream];
    const before = now === this.#last ? [] : this.#last.flush();
    this.#last = now;
    return [...before, ...now.feed(bytes, offset, arrival)];
  }

  flush(): readonly StreamChunk[] {
    return this.#last.flush();
  }

  /** Everything left, however unfinished; `goesOnAt`: where the stream continues. */
  end(goesOnAt?: number): readonly StreamChunk[] {
    const { stdout, stderr } = this.#streams;
    return [...stdout.end(goesOnAt), ...stderr.end(goesOnAt)].sort((one, other) => one.offset - other.offset);
  }
}

/** One stream's text: its chunks, and when their first bytes came. */
class StreamText {
  readonly #name: StreamName;
  readonly #chunker: TextChunker | LineChunker;
  /** Of the first byte that was not given out. */
  #arrival: Arrival = { ts: 0, at: 0 };

  constructor(name: StreamName, options: TextChunkOptions) {
    this.#name = name;
    this.#chunker = options.ansi === 'text' ? new LineChunker(options) : new TextChunker(options);
  }

  get heldAt(): number | undefined {
    return this.#chunker.isEmpty ? undefined : this.#arrival.at;
  }

  feed(bytes: Uint8Array, offset: number, arrival: Arrival): StreamChunk[] {
    const before = this.#arrival;
    const chunks = this.#chunker.feed(bytes, offset);
    if (this.#chunker.offset >= offset) this.#arrival = arrival;
    return chunks.map((chunk) => this.#told(chunk, chunk.offset < offset ? before : arrival));
  }

  flush(): StreamChunk[] {
    return this.#chunker.flush().map((chunk) => this.#told(chunk, this.#arrival));
  }

  end(goesOnAt?: number): StreamChunk[] {
    const chunks = goesOnAt === undefined ? this.#chunker.end() : this.#chunker.reset(goesOnAt);
    return chunks.map((chunk) => this.#told(chunk, this.#arrival));
  }

  #told({ data, offset, end }: TextChunk, { ts }: Arrival): StreamChunk {
    return { data, ts, offset, end, stream: this.#name };
  }
}
