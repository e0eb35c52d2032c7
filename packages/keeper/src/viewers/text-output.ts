/**
 * Sends the output that a watcher reads as text, in `WORKER_OUTPUT` events. The first text after a pause is sent at once; later
 * text is collected for a moment, so that a busy session causes ten messages a second instead of a thousand. Keeps OUT-1 and OUT-4.
 * Keeps OUT-5: the daemon's side of `SUBSCRIBE_WORKER_OUTPUT` (decision 188).
 */
import { FrameType, type Requests, type WatchEvent, type WorkerOutputEvent } from '@spool/protocol';
import { type StreamChunk, type StreamName, TextStreams } from '@spool/vt';
import type { ClientConnection } from '../clients/connection.ts';
import type { WatcherOutput } from './watcher.ts';

export interface TextOutputOptions {
  readonly connection: ClientConnection;
  readonly channel: number;
  /** The id of the session. */
  readonly id: string;
  readonly ask: Requests['SUBSCRIBE_WORKER_OUTPUT']['ask'];
  readonly from: number;
  /** Returns the name that is sent with each piece (default: the name in the request). */
  readonly agent?: (() => string) | undefined;
  readonly onClose?: (() => void) | undefined;
}

export class TextOutput implements WatcherOutput {
  /** The maximum of bytes per read, so that other requests are served in between. */
  readonly bytesMax = 16 * 1024;
  readonly #options: TextOutputOptions;
  readonly #text: TextStreams;
  #cursor: number;
  #sentAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: TextOutputOptions) {
    const { flushMs, maxBytes, chunking, ansi } = options.ask;
    this.#options = options;
    this.#cursor = options.from;
    this.#text = new TextStreams({ offset: options.from, flushMs, maxBytes, chunking, ansi });
  }

  bytes(offset: number, stream: StreamName, bytes: Uint8Array): void {
    this.#cursor = offset + bytes.length;
    this.#send(this.#text.feed(stream, bytes, offset, { ts: Date.now(), at: performance.now() }));
    this.#flushInTime();
  }

  /** Handles an event. Text has no size, and its end is the same whether the session has ended or was removed. */
  event(event: WatchEvent): void {
    const { id } = this.#options;
    if (event.type === 'gap') {
      const { from, to } = event;
      this.#send(this.#text.end(to));
      this.#emit({ type: 'gap', id, from, to });
      this.#cursor = to;
    } else if (event.type === 'exit' || event.type === 'removed') {
      this.flush();
      this.#emit({ type: 'end', id, offset: this.#cursor });
    }
  }

  /** Sends the text that is held back. */
  flush(): void {
    this.#send(this.#text.end());
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#options.onClose?.();
  }

  #flushInTime(): void {
    if (this.#timer) return;
    const dueAt = this.#text.dueAt(this.#sentAt);
    if (dueAt === undefined) return;
    const waitMs = dueAt - performance.now();
    if (waitMs <= 0) return this.#send(this.#text.flush());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#flushInTime(); // the text held now may be newer than the text that the timer was set for
    }, waitMs);
  }

  #send(chunks: readonly StreamChunk[]): void {
    if (chunks.length === 0) return;
    const { agent, ask, id } = this.#options;
    for (const { stream, ...chunk } of chunks) {
      const message = { type: 'WORKER_OUTPUT', agent: agent?.() ?? ask.agent, id, ...chunk } as const;
      this.#emit(stream === 'stderr' ? { ...message, stream } : message);
    }
    this.#sentAt = performance.now();
  }

  #emit(event: WorkerOutputEvent): void {
    const { connection, channel } = this.#options;
    connection.json(FrameType.event, channel, event);
  }
}
