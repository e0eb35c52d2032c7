/**
 * A request with a stream of frames: when the link breaks, it is sent again on the next connection, until its reader or the daemon
 * ends it. Watches, attachments and events each use one.
 */
import type { Frame } from '@spool/protocol';
import type { BrokenConnection, Channel, Connection } from '../link/connection.ts';
import { closed, type Link } from '../link/link.ts';
import type { AbortSignalLike } from '../link/runtime.ts';
import { AsyncQueue } from './async-queue.ts';

export interface SubscriptionOptions<Item> {
  readonly link: Link;
  readonly signal?: AbortSignalLike | undefined;
  /** Sends the request on this connection; its frames are passed to `channel`. Returns the request's number. */
  ask(connection: Connection, channel: Channel): number;
  onFrame(frame: Frame): void;
  /** Called when the link broke. The request will be sent again. */
  onBroken(): void;
  /** Returns the next item for the reader, and records that it was taken. */
  take(): Item | undefined;
  /** Drops all items that wait for the reader. */
  drop(): void;
  /** Called once, when the reader stops or the source ends. */
  onEnd?(): void;
}

/** An open request on one connection. */
export interface OpenChannel {
  readonly connection: Connection;
  readonly channel: number;
}

export class Subscription<Item> {
  readonly #options: SubscriptionOptions<Item>;
  readonly #items: AsyncQueue<Item>;
  #open: (OpenChannel & { readonly end: (why: BrokenConnection | 'cancelled') => void }) | null = null;
  #paused: PromiseWithResolvers<void> | null = null;

  constructor(options: SubscriptionOptions<Item>) {
    this.#options = options;
    this.#items = new AsyncQueue({
      signal: options.signal,
      take: () => options.take(),
      drop: () => options.drop(),
      onEnd: () => {
        this.#cancel();
        this.#paused?.resolve();
        options.onEnd?.();
      },
    });
  }

  /** Sends the request, at once if there is a connection. */
  start(): void {
    if (!this.#items.isEnded) void this.#follow();
  }

  /** The connection and channel of the request; null between two connections, and while it is paused. */
  get open(): OpenChannel | null {
    return this.#open;
  }

  get isEnded(): boolean {
    return this.#items.isEnded;
  }

  /** Whether a reader waits, so that there is nothing to read. */
  get isAwaited(): boolean {
    return this.#items.isAwaited;
  }

  get isPaused(): boolean {
    return this.#paused !== null;
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    return this.#items.next();
  }

  /** Notes that an item may be waiting now. */
  flush(): void {
    this.#items.flush();
  }

  /** Cancels the request until `resume`: the reader is too far behind. */
  pause(): void {
    this.#paused = Promise.withResolvers();
    this.#cancel();
  }

  resume(): void {
    this.#paused?.resolve();
    this.#paused = null;
  }

  /**
   * Ends a request that the daemon has ended, so that it is not cancelled. The reader gets the waiting items, and then the end.
   */
  end(error?: unknown): void {
    this.#open?.connection.forget(this.#open.channel);
    this.#open?.end('cancelled');
    this.#items.end(error);
  }

  /** Cancels the request. The reader gets the waiting items, and then the error. */
  fail(error: unknown): void {
    this.#items.end(error);
  }

  /** Ends it at once: waiting items are dropped. */
  close(): void {
    this.#items.close();
  }

  /** Follows the request on one connection after the other, until the end. */
  async #follow(): Promise<void> {
    const { link } = this.#options;
    try {
      for (;;) {
        if (link.isClosed) throw closed();
        const connection = link.current ?? (await link.connection(this.#items.ended));
        if (this.isEnded) return;
        const why = await this.#openOn(connection);
        if (this.isEnded) return;
        if (why !== 'cancelled' && !why.mayRetry) throw why.reason;
        await this.#paused?.promise;
      }
    } catch (error) {
      this.#items.end(link.isClosed ? undefined : error);
    }
  }

  #openOn(connection: Connection): Promise<BrokenConnection | 'cancelled'> {
    const { promise, resolve } = Promise.withResolvers<BrokenConnection | 'cancelled'>();
    const end = (why: BrokenConnection | 'cancelled'): void => {
      this.#open = null;
      resolve(why);
    };
    const channel = this.#options.ask(connection, {
      onFrame: (frame) => this.#options.onFrame(frame),
      onBroken: (broken) => {
        this.#options.onBroken();
        end(broken);
      },
    });
    this.#open = { connection, channel, end };
    return promise;
  }

  #cancel(): void {
    this.#open?.connection.leave(this.#open.channel);
    this.#open?.end('cancelled');
  }
}
