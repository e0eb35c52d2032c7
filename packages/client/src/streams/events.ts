/**
 * The daemon's events, as they happen. Events are not stored: those that a client missed without a link, or because it
 * read too slowly, are lost. The client is told that some were missed, and `list` shows the present state.
 */
import { decodeJson, type DaemonEvent, type Frame, FrameType, SpoolError } from '@spool/protocol';
import { abortReason, type Broken, type Connection, decodeError } from '../link/connection.ts';
import { closed, type Link } from '../link/link.ts';
import { AsyncQueue } from './async-queue.ts';
import { Reading } from './reading.ts';
import { abortController, type AbortSignalLike } from '../link/runtime.ts';

export type EventItem =
  | DaemonEvent
  | { readonly type: 'events-missed'; readonly at: number; readonly reason: 'link-broken' | 'slow-reader' };

export interface EventsOptions {
  /** Only of these sessions (default: all). */
  readonly sessions?: readonly string[] | undefined;
  /** Only of these types (`session-status`, `milestone`, …; default: all). */
  readonly types?: readonly string[] | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

/** Each is below 2 KiB as a rule. */
const WAITING_MAX = 1024;

export class Events extends Reading<EventItem> {
  readonly #link: Link;
  readonly #waiting: EventItem[] = [];
  readonly #items = new AsyncQueue(() => this.#waiting.shift());
  readonly #signal: AbortSignalLike | undefined;
  readonly #wanted: Pick<EventsOptions, 'sessions' | 'types'>;
  readonly #ended = abortController();
  #stay: { readonly connection: Connection; readonly channel: number } | null = null;

  constructor(link: Link, options: EventsOptions = {}) {
    super();
    this.#link = link;
    this.#signal = options.signal;
    this.#wanted = { sessions: options.sessions, types: options.types };
    this.#signal?.addEventListener('abort', this.#onAbort);
    if (this.#signal?.aborted) this.#onAbort();
    else void this.#follow();
  }

  next(): Promise<IteratorResult<EventItem, undefined>> {
    return this.#items.next();
  }

  close(): void {
    this.#waiting.length = 0;
    this.#finish();
  }

  readonly #onAbort = (): void => {
    this.#waiting.length = 0;
    this.#finish(abortReason(this.#signal!));
  };

  async #follow(): Promise<void> {
    try {
      for (let isResuming = false; ; isResuming = true) {
        if (this.#link.isClosed) throw closed();
        const connection = this.#link.current ?? (await this.#link.connection(this.#ended.signal));
        if (this.#items.isEnded) return;
        const broken = await this.#stayOn(connection, isResuming);
        if (this.#items.isEnded) return;
        if (!broken.mayRetry) throw broken.reason;
      }
    } catch (error) {
      if (!this.#items.isEnded) this.#finish(this.#link.isClosed ? undefined : error);
    }
  }

  #stayOn(connection: Connection, isResuming: boolean): Promise<Broken> {
    const { promise, resolve } = Promise.withResolvers<Broken>();
    const onFrame = (frame: Frame): void => {
      if (frame.type === FrameType.event) this.#push(decodeJson(frame.payload) as DaemonEvent);
      else if (frame.type === FrameType.error) this.#finish(decodeError(frame.payload));
      else if (frame.type !== FrameType.reply) throw new SpoolError('FRAME_INVALID', { type: frame.type });
      else if (isResuming) this.#push({ type: 'events-missed', at: Date.now(), reason: 'link-broken' });
    };
    this.#stay = { connection, channel: connection.open('events', this.#wanted, { onFrame, onBroken: resolve }) };
    return promise;
  }

  #push(event: EventItem): void {
    if (this.#waiting.length >= WAITING_MAX) {
      this.#waiting.splice(0, WAITING_MAX / 2, { type: 'events-missed', at: Date.now(), reason: 'slow-reader' });
    }
    this.#waiting.push(event);
    this.#items.flush();
  }

  #finish(error?: unknown): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#stay?.connection.leave(this.#stay.channel);
    this.#stay = null;
    this.#ended.abort();
    this.#items.end(error);
  }
}
