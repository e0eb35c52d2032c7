/**
 * Returns the text of a session that may have two streams: one chunker for each, in the order of the log.
 *
 * On pipes the streams take turns in one log. The text of one stream is returned before later text of the other; a character that
 * the other one has cut in two is held until it is complete. There is no clock here: each piece is fed with its arrival time, and
 * `dueAt` is the time when the caller should flush.
 */
import { LineChunker } from './line-chunker.ts';
import { type TextChunk, TextChunker, type TextChunkOptions } from './text-chunker.ts';

export type StreamName = 'stdout' | 'stderr';

export interface StreamChunk extends TextChunk {
  readonly stream: StreamName;
  /** The arrival time of its first byte, in milliseconds since 1970. */
  readonly ts: number;
}

/** An arrival time: `ts` by the calendar, `at` by a monotonic clock. */
export interface Arrival {
  readonly ts: number;
  readonly at: number;
}

export interface TextStreamsOptions extends TextChunkOptions {
  /** The time for which text may be collected (default: 100). */
  readonly flushMs?: number | undefined;
}

const FLUSH_MS = 100;

export class TextStreams {
  readonly #streams: Readonly<Record<StreamName, StreamText>>;
  readonly #flushMs: number;
  readonly #isRaw: boolean;
  /** The stream with the latest output: the other one holds at most half a character. */
  #last: StreamText;

  constructor(options: TextStreamsOptions = {}) {
    this.#streams = { stdout: new StreamText('stdout', options), stderr: new StreamText('stderr', options) };
    this.#flushMs = options.flushMs ?? FLUSH_MS;
    this.#isRaw = (options.chunking ?? 'raw') === 'raw';
    this.#last = this.#streams.stdout;
  }

  /**
   * Returns the time at which `flush` must be called, if text was last returned at `givenAt`; undefined if no text is held. After a
   * pause raw text is due at once; lines and paragraphs wait until they are complete.
   */
  dueAt(givenAt: number): number | undefined {
    const { heldAt } = this.#last;
    return heldAt === undefined ? undefined : (this.#isRaw ? givenAt : heldAt) + this.#flushMs;
  }

  /** Returns the chunks that these bytes complete. */
  feed(stream: StreamName, bytes: Uint8Array, offset: number, arrival: Arrival): readonly StreamChunk[] {
    const now = this.#streams[stream];
    const before = now === this.#last ? [] : this.#last.flush();
    this.#last = now;
    return [...before, ...now.feed(bytes, offset, arrival)];
  }

  flush(): readonly StreamChunk[] {
    return this.#last.flush();
  }

  /** Returns all remaining text, however unfinished; `goesOnAt` is the offset where the stream continues. */
  end(goesOnAt?: number): readonly StreamChunk[] {
    const { stdout, stderr } = this.#streams;
    return [...stdout.end(goesOnAt), ...stderr.end(goesOnAt)].sort((one, other) => one.offset - other.offset);
  }
}

/** One stream's text: its chunks, and the arrival times of their first bytes. */
class StreamText {
  readonly #name: StreamName;
  readonly #chunker: TextChunker | LineChunker;
  /** The arrival of the first byte that was not returned. */
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
