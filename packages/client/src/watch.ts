/**
 * Following one session: every byte from the cursor on, exactly once, whatever happens to the link.
 *
 * The cursor is the absolute offset behind the last byte that arrived. After a break the watch is opened again at its
 * cursor and by the session's full id, so bytes are neither lost nor doubled, and a name never leads to another session.
 * Bytes that are gone are told as a gap. What does not begin at the cursor, or was not asked for by credit, is a fault of
 * the other side: the connection is given up and the watch starts afresh at the cursor.
 *
 * Memory is bounded by the credit: so many bytes may wait here, and more is granted as the reader takes them.
 */
import {
  decodeJson,
  encodeFrame,
  type Frame,
  FrameFlag,
  FrameType,
  type Requests,
  SpoolError,
  type WatchEvent,
  type WatchFrom,
} from '@spool/protocol';
import { abortReason, type Broken, type Connection, decodeError } from './connection.ts';
import { closed } from './link.ts';
import { Outlet } from './outlet.ts';
import type { Requester } from './requests.ts';
import { abortController, type AbortSignalLike } from './surroundings.ts';
import { type WatchItem, WatchQueue } from './watch-queue.ts';

export interface WatchOptions {
  /** Where to begin; the beginning of what is kept unless told. */
  readonly from?: WatchFrom | undefined;
  /** How many bytes may wait for the reader. */
  readonly creditBytes?: number | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

export const CREDIT_BYTES = 256 * 1024;
const CREDIT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Pieces that may wait (outputs that cannot be joined, and events). Credit counts bytes only, so a child that writes one
 * byte to stdout and one to stderr in turn could still fill the memory with small objects: the watch is left instead,
 * and opened again at its cursor when the reader has caught up.
 */
const PIECES_MAX = 2048;

/** After so many faults in a row at one cursor the other side will not get it right: the reader is told. */
const FAULTS_MAX = 3;

/** A watch as it is open on one connection. */
interface Stay {
  readonly connection: Connection;
  readonly channel: number;
  readonly creditBytes: number;
  isAnswered: boolean;
  readonly end: (why: Broken | 'left') => void;
}

export class Watch implements AsyncIterableIterator<WatchItem, undefined> {
  readonly #requester: Requester;
  readonly #windowBytes: number;
  readonly #queue = new WatchQueue();
  readonly #outlet = new Outlet(() => this.#take());
  readonly #signal: AbortSignalLike | undefined;
  readonly #ended = abortController();
  /** As it was named by the caller; the full id from the first answer on. */
  #session: string;
  #id: string | undefined;
  /** Where the caller wants to begin; the cursor from the first answer on. */
  #from: WatchFrom;
  /** The offset behind the last byte that arrived. */
  #cursor = 0;
  /** The offset behind the last byte that the reader has taken. */
  #taken = 0;
  /** How far the other side may fill us. */
  #limit = 0;
  #stay: Stay | null = null;
  #isSyncTold = false;
  #isResuming = false;
  #faults = 0;
  /** Set while the watch is left because too many pieces wait. */
  #caughtUp: PromiseWithResolvers<void> | null = null;

  constructor(requester: Requester, session: string, options: WatchOptions = {}) {
    this.#requester = requester;
    this.#session = session;
    this.#from = options.from ?? 'start';
    this.#windowBytes = Math.min(CREDIT_BYTES_MAX, Math.max(1, options.creditBytes ?? CREDIT_BYTES));
    this.#signal = options.signal;
    this.#signal?.addEventListener('abort', this.#onAbort);
    if (this.#signal?.aborted) this.#onAbort();
    else void this.#follow();
  }

  /** The session's full id, once the daemon has answered. */
  get id(): string | undefined {
    return this.#id;
  }

  /** The offset behind the last byte that the reader has taken: where to begin again, another day. */
  get cursor(): number | undefined {
    return this.#id === undefined ? undefined : this.#taken;
  }

  next(): Promise<IteratorResult<WatchItem, undefined>> {
    return this.#outlet.next();
  }

  return(): Promise<IteratorResult<WatchItem, undefined>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Ends the watch at once: what waits is dropped, and the reader's loop ends. May be called twice. */
  close(): void {
    this.#cut();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  readonly #onAbort = (): void => this.#cut(abortReason(this.#signal!));

  #cut(error?: unknown): void {
    this.#queue.clear();
    if (!this.#ended.signal.aborted) this.#finish(error);
  }

  /** The reader gets what waits, and then the end. */
  #finish(error?: unknown): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#leave();
    this.#ended.abort();
    this.#caughtUp?.resolve();
    this.#outlet.end(error);
  }

  /** Stays on one connection after the other, until the end. */
  async #follow(): Promise<void> {
    const { link } = this.#requester;
    try {
      for (;;) {
        if (link.isClosed) throw closed();
        const connection = link.current ?? (await link.connection(this.#ended.signal));
        if (this.#outlet.isEnded) return;
        const why = await this.#stayOn(connection);
        if (this.#outlet.isEnded) return;
        if (why !== 'left') {
          if (!why.mayRetry) throw why.reason;
          this.#isResuming = true;
        }
        await this.#caughtUp?.promise;
      }
    } catch (error) {
      if (!this.#outlet.isEnded) this.#finish(link.isClosed ? undefined : error);
    }
  }

  #stayOn(connection: Connection): Promise<Broken | 'left'> {
    const { promise, resolve: end } = Promise.withResolvers<Broken | 'left'>();
    const creditBytes = Math.max(0, this.#windowBytes - this.#queue.bytes);
    const channel = connection.open(
      'watch',
      { session: this.#session, from: this.#from, creditBytes },
      { onFrame: (frame) => this.#hear(frame), onBroken: end },
    );
    this.#stay = { connection, channel, creditBytes, isAnswered: false, end };
    return promise;
  }

  #leave(): void {
    this.#stay?.connection.leave(this.#stay.channel);
    this.#stay?.end('left');
    this.#stay = null;
  }

  #hear(frame: Frame): void {
    switch (frame.type) {
      case FrameType.reply:
        this.#begin(this.#decode(frame.payload) as Requests['watch']['answer']);
        break;
      case FrameType.output:
        this.#hearOutput(frame);
        break;
      case FrameType.event:
        this.#hearEvent(this.#decode(frame.payload) as WatchEvent);
        break;
      case FrameType.error:
        return this.#end(decodeError(frame.payload));
      default:
        throw this.#fault({ type: frame.type });
    }
    this.#outlet.flush();
    if (this.#queue.length > PIECES_MAX) {
      this.#caughtUp = Promise.withResolvers();
      this.#leave();
    }
  }

  #decode(payload: Uint8Array): unknown {
    try {
      return decodeJson(payload);
    } catch {
      throw this.#fault({ payload: 'not JSON' });
    }
  }

  #begin({ id, from }: Requests['watch']['answer']): void {
    const stay = this.#stay!;
    if (stay.isAnswered) throw this.#fault({ reason: 'answered twice' });
    if (typeof this.#from === 'number' && from !== this.#from) throw this.#fault({ asked: this.#from, from });
    stay.isAnswered = true;
    if (this.#id === undefined) {
      this.#id = id;
      this.#session = id;
      this.#requester.remember(id);
      this.#cursor = from;
      this.#taken = from;
    } else if (id !== this.#id) {
      return this.#end(new SpoolError('INTERNAL', { asked: this.#id, answered: id }));
    }
    this.#from = this.#cursor;
    this.#limit = this.#cursor + stay.creditBytes;
    if (this.#isResuming) this.#queue.pushEvent({ type: 'reconnected', offset: this.#cursor });
    this.#isResuming = false;
    this.#grant();
  }

  #hearOutput({ offset, payload, flags }: Frame): void {
    if (!this.#stay!.isAnswered) throw this.#fault({ reason: 'output before the answer' });
    if (offset !== this.#cursor) throw this.#fault({ expected: this.#cursor, offset });
    // Credit never grants more than the window, so what comes unasked shows as too much here.
    if (this.#queue.bytes + payload.length > this.#windowBytes) throw this.#fault({ offset, bytes: payload.length });
    if (payload.length === 0) return;
    this.#move(offset + payload.length);
    this.#queue.pushOutput(offset, payload, (flags & FrameFlag.stderr) === 0 ? 'stdout' : 'stderr');
  }

  #hearEvent(event: WatchEvent): void {
    switch (event.type) {
      case 'gap':
        if (event.from !== this.#cursor || event.to < event.from) {
          throw this.#fault({ expected: this.#cursor, from: event.from, to: event.to });
        }
        this.#move(event.to);
        return this.#queue.pushEvent(event);
      case 'synced':
        if (!this.#isSyncTold) this.#queue.pushEvent(event);
        this.#isSyncTold = true;
        return;
      case 'resized':
        return this.#queue.pushEvent(event);
      case 'exit':
        // Fewer bytes than we have seen is possible: a power cut took the end of the log. More means that some are missing.
        if (event.offset > this.#cursor) throw this.#fault({ expected: this.#cursor, offset: event.offset });
        this.#queue.pushEvent(event);
        return this.#end();
      case 'removed':
        this.#queue.pushEvent(event);
        return this.#end();
    }
  }

  #move(cursor: number): void {
    this.#cursor = cursor;
    this.#from = cursor;
    this.#faults = 0;
  }

  /** The other side has ended the watch: there is nothing to leave. */
  #end(error?: SpoolError): void {
    this.#stay!.connection.forget(this.#stay!.channel);
    this.#finish(error);
  }

  /** What to throw at the connection: it breaks, and the watch begins again at its cursor. */
  #fault(details: Record<string, string | number>): SpoolError {
    const fault = new SpoolError('FRAME_INVALID', { watch: this.#session, ...details });
    if (++this.#faults >= FAULTS_MAX) this.#finish(fault);
    return fault;
  }

  /** Hands out the next item, and grants what the reader has made room for. */
  #take(): WatchItem | undefined {
    const item = this.#queue.take();
    if (item === undefined) return undefined;
    if (item.type === 'output') this.#taken = item.offset + item.bytes.length;
    else if (item.type === 'gap') this.#taken = item.to;
    this.#grant();
    if (this.#caughtUp !== null && this.#queue.length <= PIECES_MAX / 2) {
      this.#caughtUp.resolve();
      this.#caughtUp = null;
    }
    return item;
  }

  /** Half a window at a time: a frame for each piece taken would cost more than it brings. */
  #grant(): void {
    const limit = this.#taken + this.#windowBytes;
    if (!this.#stay?.isAnswered || (limit - this.#limit) * 2 < this.#windowBytes) return;
    this.#limit = limit;
    this.#stay.connection.send(encodeFrame(FrameType.credit, this.#stay.channel, undefined, limit));
  }
}
