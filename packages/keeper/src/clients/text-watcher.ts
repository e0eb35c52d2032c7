/**
 * A watcher that receives a session's output as text: the same cursor into the log, chunks instead of bytes. Text after
 * a pause is sent at once; what follows is collected for a moment, so that a busy session causes ten messages a second
 * and not a thousand. Keeps OUT-1 and OUT-4. Keeps OUT-5: the daemon's side of `SUBSCRIBE_WORKER_OUTPUT`.
 */
import { FrameType, type Requests, type WorkerOutputEvent } from '@spool/protocol';
import { type StreamChunk, TextStreams } from '@spool/vt';
import type { LogRead } from '@spool/core';
import type { Connection } from './connection.ts';
import { historyTurns } from '../logs/history-turns.ts';
import type { Session } from '../session/session.ts';
import type { LogWatcher } from './watcher.ts';

const READ_BYTES = 16 * 1024;

export interface TextWatcherOptions {
  readonly connection: Connection;
  readonly channel: number;
  readonly session: Session;
  readonly ask: Requests['SUBSCRIBE_WORKER_OUTPUT']['ask'];
  readonly from: number;
  /** The name that is sent with each piece (default: the name in the request). */
  readonly agent?: (() => string) | undefined;
  readonly onClose?: (() => void) | undefined;
}

export class TextWatcher implements LogWatcher {
  readonly isClient = true;
  readonly channel: number;
  readonly session: Session;
  readonly #connection: Connection;
  readonly #agent: () => string;
  readonly #onClose: () => void;
  readonly #text: TextStreams;
  #cursor: number;
  #toldAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor({ connection, channel, session, ask, from, agent, onClose }: TextWatcherOptions) {
    this.channel = channel;
    this.session = session;
    this.#connection = connection;
    this.#agent = agent ?? (() => ask.agent);
    this.#onClose = onClose ?? (() => {});
    this.#cursor = from;
    const { flushMs, maxBytes, chunking, ansi } = ask;
    this.#text = new TextStreams({ offset: from, flushMs, maxBytes, chunking, ansi });
    session.watchers.add(this);
  }

  pump(): void {
    if (this.#isClosed || this.#connection.isWaiting(this)) return;
    const { log } = this.session;
    while (this.#cursor < log.end) {
      if (this.#connection.isFull) return this.#connection.wait(this);
      const isHistory = log.isHistory(this.#cursor);
      if (isHistory && !historyTurns.admits(this)) return;
      const readOn = (): LogRead => log.read(this.#cursor, READ_BYTES);
      const read = isHistory ? historyTurns.read(readOn) : readOn();
      if (read.type === 'end') break;
      if (read.type === 'gap') {
        this.#tellAll(this.#text.end(read.to));
        this.#emit({ type: 'gap', id: this.session.id, from: read.from, to: read.to });
        this.#cursor = read.to;
        continue;
      }
      const arrival = { ts: Date.now(), at: performance.now() };
      this.#tellAll(this.#text.feed(read.stream, read.bytes, this.#cursor, arrival));
      this.#cursor += read.bytes.length;
    }
    this.#flushInTime();
    if (this.session.isRunning) return;
    this.#tellAll(this.#text.end());
    this.#emit({ type: 'end', id: this.session.id, offset: this.#cursor });
    this.close();
  }

  /** Tells what is held. */
  flush(): void {
    this.#tellAll(this.#text.end());
  }

  removed(): void {
    this.#tellAll(this.#text.end());
    this.#emit({ type: 'end', id: this.session.id, offset: this.#cursor });
    this.close();
  }

  resized(): void {
    // Text has no size.
  }

  typed(): void {
    // Nobody types here.
  }

  grant(): void {
    // The socket is the only back-pressure: what it does not take stays in the log.
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.session.watchers.delete(this);
    this.#connection.forget(this);
    this.#onClose();
  }

  #flushInTime(): void {
    if (this.#timer) return;
    const dueAt = this.#text.dueAt(this.#toldAt);
    if (dueAt === undefined) return;
    const waitMs = dueAt - performance.now();
    if (waitMs <= 0) return this.#tellAll(this.#text.flush());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#flushInTime(); // the text held now may be newer than the text that the timer was set for
    }, waitMs);
  }

  #tellAll(chunks: readonly StreamChunk[]): void {
    if (chunks.length === 0) return;
    for (const { stream, ...chunk } of chunks) {
      const message = { type: 'WORKER_OUTPUT', agent: this.#agent(), id: this.session.id, ...chunk } as const;
      this.#emit(stream === 'stderr' ? { ...message, stream } : message);
    }
    this.#toldAt = performance.now();
  }

  #emit(event: WorkerOutputEvent): void {
    this.#connection.json(FrameType.event, this.channel, event);
  }
}
