/**
 * Somebody who follows a session's output as text: the same cursor into the log, chunks instead of bytes. What comes after a
 * pause is told at once; what follows is collected for a moment, so that a busy session makes ten messages a second and not
 * a thousand.
 */
import { FrameType, type Requests, type WorkerOutputEvent } from '@spool/protocol';
import { type TextChunk, TextChunker } from '@spool/vt';
import type { Connection } from './connection.ts';
import type { Session } from './session.ts';
import type { LogWatcher } from './watcher.ts';

const FLUSH_MS = 100;
const READ_BYTES = 16 * 1024;

export interface TextWatcherOptions {
  readonly connection: Connection;
  readonly channel: number;
  readonly session: Session;
  readonly ask: Requests['SUBSCRIBE_WORKER_OUTPUT']['ask'];
  readonly from: number;
}

export class TextWatcher implements LogWatcher {
  readonly channel: number;
  readonly session: Session;
  readonly #connection: Connection;
  readonly #agent: string;
  readonly #flushMs: number;
  readonly #chunker: TextChunker;
  #cursor: number;
  #toldAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor({ connection, channel, session, ask, from }: TextWatcherOptions) {
    this.channel = channel;
    this.session = session;
    this.#connection = connection;
    this.#agent = ask.agent;
    this.#flushMs = ask.flushMs ?? FLUSH_MS;
    this.#cursor = from;
    const { maxBytes, chunking, ansi } = ask;
    this.#chunker = new TextChunker({
      offset: from,
      ...(maxBytes !== undefined && { maxBytes }),
      ...(chunking !== undefined && { chunking }),
      ...(ansi !== undefined && { ansi }),
    });
    session.watchers.add(this);
  }

  pump(): void {
    if (this.#isClosed || this.#connection.isWaiting(this)) return;
    const { log } = this.session;
    while (this.#cursor < log.end) {
      if (this.#connection.isFull) return this.#connection.wait(this);
      const read = log.read(this.#cursor, READ_BYTES);
      if (read.type === 'end') break;
      if (read.type === 'gap') {
        this.#tellAll(this.#chunker.reset(read.to));
        this.#tell({ type: 'gap', from: read.from, to: read.to });
        this.#cursor = read.to;
        continue;
      }
      this.#cursor += read.bytes.length;
      this.#tellAll(this.#chunker.feed(read.bytes));
    }
    this.#flushInTime();
    if (this.session.isRunning) return;
    this.#tellAll(this.#chunker.end());
    this.#tell({ type: 'end', offset: this.#cursor });
    this.close();
  }

  removed(): void {
    this.#tellAll(this.#chunker.end());
    this.#tell({ type: 'end', offset: this.#cursor });
    this.close();
  }

  resized(): void {
    // Text has no size.
  }

  grant(): void {
    // The socket is all the back-pressure there is: what is not taken stays in the log.
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.session.watchers.delete(this);
    this.#connection.forget(this);
  }

  #flushInTime(): void {
    if (this.#chunker.isEmpty || this.#timer) return;
    const waitMs = this.#toldAt + this.#flushMs - performance.now();
    if (waitMs <= 0) return this.#tellAll(this.#chunker.flush());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#tellAll(this.#chunker.flush());
    }, waitMs);
  }

  #tellAll(chunks: readonly TextChunk[]): void {
    if (chunks.length === 0) return;
    const ts = Date.now();
    for (const { data, offset, end } of chunks)
      this.#tell({ type: 'WORKER_OUTPUT', agent: this.#agent, data, ts, offset, end });
    this.#toldAt = performance.now();
  }

  #tell(event: WorkerOutputEvent): void {
    this.#connection.json(FrameType.event, this.channel, event);
  }
}
