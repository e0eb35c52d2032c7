/**
 * A subscription to one session: every byte from the cursor on, exactly once, whatever happens to the link. The common
 * part of `Watch` and `Attachment`.
 *
 * The cursor is the absolute offset after the last byte that arrived. After a break the subscription is renewed at the
 * cursor and by the full id, so bytes are neither lost nor doubled, and a name never leads to another session. Missing
 * bytes are reported as a gap. Output that does not start at the cursor, or exceeds the credit, is a fault of the other
 * side: the connection is closed and the subscription starts again at the cursor.
 *
 * Memory is bounded by the credit: this many bytes may wait here, and more is granted as the reader takes them.
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
import { abortReason, type Broken, type Channel, type Connection, decodeError } from '../link/connection.ts';
import { closed } from '../link/link.ts';
import { AsyncQueue } from './async-queue.ts';
import { Reading } from './reading.ts';
import type { Requester } from '../link/requests.ts';
import { abortController, type AbortSignalLike } from '../link/runtime.ts';
import { type AttachItem, WatchQueue } from './watch-queue.ts';

export interface SubscriptionOptions {
  /** How many bytes may wait for the reader. */
  readonly creditBytes?: number | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

export const CREDIT_BYTES = 256 * 1024;
const CREDIT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Pieces that may wait (outputs that cannot be joined, and events). Credit counts bytes only, so a child that writes
 * one byte to stdout and one to stderr in turn could still fill the memory with small objects: the client then
 * unsubscribes, and subscribes again at the cursor when the reader has caught up.
 */
const PIECES_MAX = 2048;

/** After this many consecutive faults at one cursor the other side will not get it right: the reader gets the error. */
const FAULTS_MAX = 3;

/** A session as it is being followed on one connection. */
export interface OpenSubscription {
  readonly connection: Connection;
  readonly channel: number;
  readonly creditBytes: number;
  isAnswered: boolean;
  readonly end: (why: Broken | 'left') => void;
}

export abstract class Subscription<Item extends AttachItem> extends Reading<Item> {
  protected readonly requester: Requester;
  protected readonly queue = new WatchQueue();
  /** The caller's name for it; the full id from the first answer on. */
  protected session: string;
  /** Where it is open at present. */
  protected stay: OpenSubscription | null = null;
  /** The offset after the last byte that arrived; undefined until the other side has sent the start. */
  protected reached: number | undefined;
  readonly #windowBytes: number;
  readonly #items = new AsyncQueue(() => this.#take());
  readonly #signal: AbortSignalLike | undefined;
  readonly #ended = abortController();
  #id: string | undefined;
  /** The offset after the last byte that the reader has taken. */
  #taken = 0;
  /** How far the other side may send. */
  #limit = 0;
  #isSyncTold = false;
  #isResuming = false;
  #faults = 0;
  /** Set while unsubscribed because too many pieces wait. */
  #caughtUp: PromiseWithResolvers<void> | null = null;

  constructor(requester: Requester, session: string, options: SubscriptionOptions) {
    super();
    this.requester = requester;
    this.session = session;
    this.#windowBytes = Math.min(CREDIT_BYTES_MAX, Math.max(1, options.creditBytes ?? CREDIT_BYTES));
    this.#signal = options.signal;
  }

  /** Call it last in a constructor: it sends the request at once. */
  protected start(): void {
    this.#signal?.addEventListener('abort', this.#onAbort);
    if (this.#signal?.aborted) this.#onAbort();
    else void this.#follow();
  }

  /** Sends the request on this connection; its frames go to `channel`. Returns the request's number. */
  protected abstract ask(connection: Connection, creditBytes: number, channel: Channel): number;

  /** The answer: names the session (`settle`) and the offset where its bytes start. */
  protected abstract hearAnswer(answer: unknown): void;

  /** The full id of the session, once the daemon has answered. */
  get id(): string | undefined {
    return this.#id;
  }

  /** The offset after the last byte that the reader has taken: where to continue another time. */
  get cursor(): number | undefined {
    return this.#id === undefined ? undefined : this.#taken;
  }

  get isEnded(): boolean {
    return this.#items.isEnded;
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    return this.#items.next() as Promise<IteratorResult<Item, undefined>>;
  }

  close(): void {
    this.#cut();
  }

  readonly #onAbort = (): void => this.#cut(abortReason(this.#signal!));

  #cut(error?: unknown): void {
    this.queue.clear();
    if (!this.#ended.signal.aborted) this.#finish(error);
  }

  /** The reader gets the waiting items, and then the end. */
  #finish(error?: unknown): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#leave();
    this.#ended.abort();
    this.#caughtUp?.resolve();
    this.#items.end(error);
    this.onEnd();
  }

  /** Called once, when nothing more will arrive. */
  protected onEnd(): void {}

  /** Follows on one connection after the other, until the end. */
  async #follow(): Promise<void> {
    const { link } = this.requester;
    try {
      for (;;) {
        if (link.isClosed) throw closed();
        const connection = link.current ?? (await link.connection(this.#ended.signal));
        if (this.#items.isEnded) return;
        const why = await this.#stayOn(connection);
        if (this.#items.isEnded) return;
        if (why !== 'left') {
          if (!why.mayRetry) throw why.reason;
          this.#isResuming = true;
        }
        await this.#caughtUp?.promise;
      }
    } catch (error) {
      if (!this.#items.isEnded) this.#finish(link.isClosed ? undefined : error);
    }
  }

  #stayOn(connection: Connection): Promise<Broken | 'left'> {
    const { promise, resolve } = Promise.withResolvers<Broken | 'left'>();
    const end = (why: Broken | 'left'): void => {
      this.stay = null;
      resolve(why);
    };
    const creditBytes = Math.max(0, this.#windowBytes - this.queue.bytes);
    const channel = this.ask(connection, creditBytes, { onFrame: (frame) => this.#handle(frame), onBroken: end });
    this.stay = { connection, channel, creditBytes, isAnswered: false, end };
    return promise;
  }

  #leave(): void {
    this.stay?.connection.leave(this.stay.channel);
    this.stay?.end('left');
  }

  #handle(frame: Frame): void {
    switch (frame.type) {
      case FrameType.reply:
        if (this.stay!.isAnswered) throw this.fault({ reason: 'answered twice' });
        this.stay!.isAnswered = true;
        this.hearAnswer(this.#decode(frame.payload));
        break;
      case FrameType.output:
        this.#hearOutput(frame);
        break;
      case FrameType.event:
        this.hearEvent(this.#decode(frame.payload) as WatchEvent);
        break;
      case FrameType.error:
        return this.#end(decodeError(frame.payload));
      default:
        this.hearOther(frame);
    }
    this.#items.flush();
    if (this.queue.length > PIECES_MAX) {
      this.#caughtUp = Promise.withResolvers();
      this.#leave();
    }
  }

  /** A frame of a type that only some subclasses expect. */
  protected hearOther(frame: Frame): void {
    throw this.fault({ type: frame.type });
  }

  #decode(payload: Uint8Array): unknown {
    try {
      return decodeJson(payload);
    } catch {
      throw this.fault({ payload: 'not JSON' });
    }
  }

  /** The other side has named the session, and starts at `from` (undefined: it follows later). */
  protected settle(id: string, from: number | undefined): void {
    if (this.#id === undefined) {
      this.#id = id;
      this.session = id;
      this.requester.remember(id);
      this.reached = from;
      this.#taken = from ?? 0;
    } else if (id !== this.#id) {
      return this.#end(new SpoolError('INTERNAL', { asked: this.#id, answered: id }));
    }
    if (this.#isResuming) this.queue.pushEvent({ type: 'reconnected', offset: this.reached ?? 0 });
    this.#isResuming = false;
    if (this.reached === undefined) return;
    this.#limit = this.reached + this.stay!.creditBytes;
    this.#grant();
  }

  /** The stream continues at `offset`, whatever came before: waiting bytes are outdated. */
  protected jump(offset: number): void {
    this.queue.dropOutput();
    this.move(offset);
    this.#taken = offset;
    this.#limit = offset + this.stay!.creditBytes;
    this.#grant();
  }

  #hearOutput({ offset, payload, flags }: Frame): void {
    if (!this.stay!.isAnswered || this.reached === undefined) throw this.fault({ reason: 'output before the answer' });
    if (offset !== this.reached) throw this.fault({ expected: this.reached, offset });
    // Credit never grants more than the window, so unrequested bytes show up as too many here.
    if (this.queue.bytes + payload.length > this.#windowBytes) throw this.fault({ offset, bytes: payload.length });
    if (payload.length === 0) return;
    this.move(offset + payload.length);
    this.queue.pushOutput(offset, payload, (flags & FrameFlag.stderr) === 0 ? 'stdout' : 'stderr');
  }

  /** Events in order with the output. Unknown ones are ignored: they are for other clients. */
  protected hearEvent(event: WatchEvent): void {
    switch (event.type) {
      case 'gap':
        if (event.from !== this.reached || event.to < event.from) {
          throw this.fault({ expected: this.reached ?? 'nothing', from: event.from, to: event.to });
        }
        this.move(event.to);
        return this.queue.pushEvent(event);
      case 'synced':
        if (!this.#isSyncTold) this.queue.pushEvent(event);
        this.#isSyncTold = true;
        return;
      case 'resized':
        return this.queue.pushEvent(event);
      case 'exit':
        // A smaller offset than ours is possible: a power cut took the end of the log. A larger one means that bytes
        // are missing.
        if (this.reached !== undefined && event.offset > this.reached)
          throw this.fault({ expected: this.reached, offset: event.offset });
        return this.endWith(event);
      case 'removed':
        return this.endWith(event);
    }
  }

  /** The last event. */
  protected endWith(event: Extract<WatchEvent, { type: 'exit' | 'removed' | 'taken-over' }>): void {
    this.queue.pushEvent(event);
    this.#end();
  }

  protected move(cursor: number): void {
    this.reached = cursor;
    this.#faults = 0;
  }

  /** The other side has ended it: there is nothing to leave. */
  #end(error?: SpoolError): void {
    this.stay?.connection.forget(this.stay.channel);
    this.stay?.end('left');
    this.#finish(error);
  }

  /** The error for the connection: it breaks, and everything starts again at the cursor. */
  protected fault(details: Record<string, string | number>): SpoolError {
    const fault = new SpoolError('FRAME_INVALID', { watch: this.session, ...details });
    if (++this.#faults >= FAULTS_MAX) this.#finish(fault);
    return fault;
  }

  /** Hands out the next item, and grants what the reader has made room for. */
  #take(): AttachItem | undefined {
    const item = this.queue.take();
    if (item === undefined) return undefined;
    if (item.type === 'output') this.#taken = item.offset + item.bytes.length;
    else if (item.type === 'gap') this.#taken = item.to;
    this.#grant();
    if (this.#caughtUp !== null && this.queue.length <= PIECES_MAX / 2) {
      this.#caughtUp.resolve();
      this.#caughtUp = null;
    }
    return item;
  }

  /** Half a window at a time: a frame for each piece taken would cost more than it brings. */
  #grant(): void {
    const limit = this.#taken + this.#windowBytes;
    if (!this.stay?.isAnswered || this.reached === undefined) return;
    if ((limit - this.#limit) * 2 < this.#windowBytes) return;
    this.#limit = limit;
    this.stay.connection.send(encodeFrame(FrameType.credit, this.stay.channel, undefined, limit));
  }
}
