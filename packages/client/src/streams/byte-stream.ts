/**
 * The bytes of one session from a cursor on: each exactly once, whatever happens to the link. It is the common part of `Watch`
 * and `Attachment`. Keeps ATT-2 in the client.
 *
 * The cursor is the absolute offset after the last byte that arrived. After a broken link the request is sent again with the cursor
 * and the full id, so bytes are neither lost nor doubled, and a name never leads to another session. Missing bytes are reported as
 * a gap. Output that does not start at the cursor, or exceeds the credit, is a fault of the other side: the connection is closed
 * and the request is sent again with the cursor.
 *
 * Memory is bounded by the credit: at most this many bytes wait here, and more is granted as the reader takes them.
 */
import {
  decodeJson,
  encodeFrame,
  type Frame,
  FrameFlag,
  FrameType,
  SpoolError,
  type WatchEvent,
} from '@spool/protocol';
import { type Channel, type Connection, decodeError } from '../link/connection.ts';
import type { Requester } from '../link/requests.ts';
import type { AbortSignalLike } from '../link/runtime.ts';
import { type OpenChannel, Subscription } from './subscription.ts';
import { type AttachItem, WatchQueue } from './watch-queue.ts';

export interface ByteStreamOptions {
  /** The number of bytes that may wait for the reader. */
  readonly creditBytes?: number | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

export interface ByteStreamHandlers {
  /** Sends the request on this connection; its frames are passed to `channel`. Returns the request's number. */
  ask(connection: Connection, creditBytes: number, channel: Channel): number;
  /** Handles the answer, which names the session (`settle`) and the offset where its bytes start. */
  onAnswer(answer: unknown): void;
  /** Returns false for an unknown event. */
  onEvent?(event: WatchEvent): boolean;
  /** Returns false for a frame of an unexpected type. */
  onFrame?(frame: Frame): boolean;
  onBroken?(): void;
  /** Called once, when the reader stops or the source ends. */
  onEnd?(): void;
}

export const CREDIT_BYTES = 256 * 1024;
const CREDIT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * The maximum of waiting pieces (outputs that cannot be joined, and events). Credit counts only bytes, so a child that writes one
 * byte to stdout and one to stderr in turn could still fill the memory with small objects. Therefore the request is cancelled, and
 * sent again with the cursor when the reader has caught up.
 */
const PIECES_MAX = 2048;

/** The number of consecutive faults at one cursor after which the reader gets the error. */
const FAULTS_MAX = 3;

export class ByteStream {
  /** The offset after the last byte that arrived; undefined until the other side has sent the start. */
  reached: number | undefined;
  readonly queue = new WatchQueue();
  readonly #requester: Requester;
  readonly #handlers: ByteStreamHandlers;
  readonly #subscription: Subscription<AttachItem>;
  readonly #windowBytes: number;
  /** The caller's name for the session; the full id from the first answer on. */
  #session: string;
  #id: string | undefined;
  /** The offset after the last byte that the reader has taken. */
  #taken = 0;
  /** The offset up to which the other side may send. */
  #limit = 0;
  /** The credit of the open request. */
  #creditBytes = 0;
  #isAnswered = false;
  #isSyncTold = false;
  #isResuming = false;
  #faults = 0;

  constructor(requester: Requester, session: string, options: ByteStreamOptions, handlers: ByteStreamHandlers) {
    this.#requester = requester;
    this.#session = session;
    this.#handlers = handlers;
    this.#windowBytes = Math.min(CREDIT_BYTES_MAX, Math.max(1, options.creditBytes ?? CREDIT_BYTES));
    this.#subscription = new Subscription({
      link: requester.link,
      signal: options.signal,
      ask: (connection, channel) => this.#ask(connection, channel),
      onFrame: (frame) => this.#handle(frame),
      onBroken: () => {
        this.#isResuming = true;
        handlers.onBroken?.();
      },
      take: () => this.#take(),
      drop: () => this.queue.clear(),
      onEnd: () => handlers.onEnd?.(),
    });
  }

  start(): void {
    this.#subscription.start();
  }

  /** The name of the session for a request. */
  get session(): string {
    return this.#session;
  }

  /** The full id of the session, once the daemon has answered. */
  get id(): string | undefined {
    return this.#id;
  }

  /** The offset after the last byte that the reader has taken, for a later stream. */
  get cursor(): number | undefined {
    return this.#id === undefined ? undefined : this.#taken;
  }

  get isEnded(): boolean {
    return this.#subscription.isEnded;
  }

  /** The request, if it is open and answered. */
  get answered(): OpenChannel | null {
    return this.#isAnswered ? this.#subscription.open : null;
  }

  /** The offset up to which output may bypass the queue, because it is empty and its reader waits; undefined if it may not. */
  get passableTo(): number | undefined {
    if (this.answered === null || this.reached === undefined) return undefined;
    if (!this.#subscription.isAwaited || this.queue.length > 0) return undefined;
    // Beyond half of the window, credit is due.
    return this.#limit - Math.ceil(this.#windowBytes / 2) - 1;
  }

  /** Notes that the reader got the output before this offset without the queue. */
  passedTo(offset: number): void {
    this.#move(offset);
    this.#taken = offset;
  }

  next(): Promise<IteratorResult<AttachItem, undefined>> {
    return this.#subscription.next();
  }

  close(): void {
    this.#subscription.close();
  }

  /** Notes that the other side has named the session, and starts at `from` (undefined if it follows later). */
  settle(id: string, from: number | undefined): void {
    if (this.#id === undefined) {
      this.#id = id;
      this.#session = id;
      this.#requester.remember(id);
      this.reached = from;
      this.#taken = from ?? 0;
    } else if (id !== this.#id) {
      return this.#subscription.end(new SpoolError('INTERNAL', { asked: this.#id, answered: id }));
    }
    if (this.#isResuming) this.queue.pushEvent({ type: 'reconnected', offset: this.reached ?? 0 });
    this.#isResuming = false;
    if (this.reached === undefined) return;
    this.#limit = this.reached + this.#creditBytes;
    this.#grant();
  }

  /** Continues at `offset`, whatever came before; waiting bytes are dropped. */
  jump(offset: number): void {
    this.queue.dropOutput();
    this.#move(offset);
    this.#taken = offset;
    this.#limit = offset + this.#creditBytes;
    this.#grant();
  }

  /** Ends the stream with the last event. */
  endWith(event: Extract<WatchEvent, { type: 'exit' | 'removed' | 'taken-over' }>): void {
    this.queue.pushEvent(event);
    this.#subscription.end();
  }

  /** Returns the error for the connection: it breaks, and the request starts again at the cursor. */
  fault(details: Record<string, string | number>): SpoolError {
    const fault = new SpoolError('FRAME_INVALID', { watch: this.#session, ...details });
    if (++this.#faults >= FAULTS_MAX) this.#subscription.fail(fault);
    return fault;
  }

  #ask(connection: Connection, channel: Channel): number {
    this.#creditBytes = Math.max(0, this.#windowBytes - this.queue.bytes);
    this.#isAnswered = false;
    return this.#handlers.ask(connection, this.#creditBytes, channel);
  }

  #handle(frame: Frame): void {
    switch (frame.type) {
      case FrameType.reply:
        if (this.#isAnswered) throw this.fault({ reason: 'answered twice' });
        this.#isAnswered = true;
        this.#handlers.onAnswer(this.#decode(frame.payload));
        break;
      case FrameType.output:
        this.#onOutput(frame);
        break;
      case FrameType.event:
        this.#onEvent(this.#decode(frame.payload) as WatchEvent);
        break;
      case FrameType.error:
        return this.#subscription.end(decodeError(frame.payload));
      default:
        if (!this.#handlers.onFrame?.(frame)) throw this.fault({ type: frame.type });
    }
    this.#subscription.flush();
    if (this.queue.length > PIECES_MAX) this.#subscription.pause();
  }

  #decode(payload: Uint8Array): unknown {
    try {
      return decodeJson(payload);
    } catch {
      throw this.fault({ payload: 'not JSON' });
    }
  }

  #onOutput({ offset, payload, flags }: Frame): void {
    if (!this.#isAnswered || this.reached === undefined) throw this.fault({ reason: 'output before the answer' });
    if (offset !== this.reached) throw this.fault({ expected: this.reached, offset });
    // Credit never grants more than the window, so unrequested bytes are detected here as too many.
    if (this.queue.bytes + payload.length > this.#windowBytes) throw this.fault({ offset, bytes: payload.length });
    if (payload.length === 0) return;
    this.#move(offset + payload.length);
    this.queue.pushOutput(offset, payload, (flags & FrameFlag.stderr) === 0 ? 'stdout' : 'stderr');
  }

  /** Handles events in order with the output. Unknown ones are ignored: they are for other clients. */
  #onEvent(event: WatchEvent): void {
    if (this.#handlers.onEvent?.(event)) return;
    switch (event.type) {
      case 'gap':
        if (event.from !== this.reached || event.to < event.from) {
          throw this.fault({ expected: this.reached ?? 'nothing', from: event.from, to: event.to });
        }
        this.#move(event.to);
        return this.queue.pushEvent(event);
      case 'synced':
        if (!this.#isSyncTold) this.queue.pushEvent(event);
        this.#isSyncTold = true;
        return;
      case 'resized':
        return this.queue.pushEvent(event);
      case 'exit':
        // An offset smaller than ours is possible: a power cut has removed the end of the log. A larger offset means that bytes are
        // missing.
        if (this.reached !== undefined && event.offset > this.reached)
          throw this.fault({ expected: this.reached, offset: event.offset });
        return this.endWith(event);
      case 'removed':
        return this.endWith(event);
    }
  }

  #move(cursor: number): void {
    this.reached = cursor;
    this.#faults = 0;
  }

  /** Returns the next item, and grants credit for the room that the reader has made. */
  #take(): AttachItem | undefined {
    const item = this.queue.take();
    if (item === undefined) return undefined;
    if (item.type === 'output') this.#taken = item.offset + item.bytes.length;
    else if (item.type === 'gap') this.#taken = item.to;
    this.#grant();
    if (this.#subscription.isPaused && this.queue.length <= PIECES_MAX / 2) this.#subscription.resume();
    return item;
  }

  /** Half a window is granted at a time: a frame for each piece would cost more than it gains. */
  #grant(): void {
    const { answered } = this;
    const limit = this.#taken + this.#windowBytes;
    if (answered === null || this.reached === undefined) return;
    if ((limit - this.#limit) * 2 < this.#windowBytes) return;
    this.#limit = limit;
    answered.connection.send(encodeFrame(FrameType.credit, answered.channel, undefined, limit));
  }
}
