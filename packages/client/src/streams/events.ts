/**
 * The daemon's events, as they happen. Events are not stored: those that a client missed without a link, or because it read too
 * slowly, are lost. The client is notified that some were missed, and `list` shows the present state.
 */
import { decodeJson, type DaemonEvent, type Frame, FrameType, SpoolError } from '@spool/protocol';
import { decodeError } from '../link/connection.ts';
import type { Link } from '../link/link.ts';
import type { AbortSignalLike } from '../link/runtime.ts';
import { Reading } from './reading.ts';
import { Subscription } from './subscription.ts';

export type EventItem =
  | DaemonEvent
  | { readonly type: 'events-missed'; readonly at: number; readonly reason: 'link-broken' | 'slow-reader' };

export interface EventsOptions {
  /** The sessions (default: all). */
  readonly sessions?: readonly string[] | undefined;
  /** The types (`session-status`, `milestone`, …; default: all). */
  readonly types?: readonly string[] | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

/** The maximum of waiting events, each usually below 2 KiB. */
const WAITING_MAX = 1024;

export class Events extends Reading<EventItem> {
  readonly #waiting: EventItem[] = [];
  readonly #subscription: Subscription<EventItem>;
  #isResuming = false;

  constructor(link: Link, { sessions, types, signal }: EventsOptions = {}) {
    super();
    this.#subscription = new Subscription({
      link,
      signal,
      ask: (connection, channel) => connection.open('events', { sessions, types }, channel),
      onFrame: (frame) => this.#handle(frame),
      onBroken: () => (this.#isResuming = true),
      take: () => this.#waiting.shift(),
      drop: () => (this.#waiting.length = 0),
    });
    this.#subscription.start();
  }

  next(): Promise<IteratorResult<EventItem, undefined>> {
    return this.#subscription.next();
  }

  close(): void {
    this.#subscription.close();
  }

  #handle(frame: Frame): void {
    if (frame.type === FrameType.event) this.#push(decodeJson(frame.payload) as DaemonEvent);
    else if (frame.type === FrameType.error) this.#subscription.end(decodeError(frame.payload));
    else if (frame.type !== FrameType.reply) throw new SpoolError('FRAME_INVALID', { type: frame.type });
    else if (this.#isResuming) this.#push({ type: 'events-missed', at: Date.now(), reason: 'link-broken' });
  }

  #push(event: EventItem): void {
    if (this.#waiting.length >= WAITING_MAX) {
      this.#waiting.splice(0, WAITING_MAX / 2, { type: 'events-missed', at: Date.now(), reason: 'slow-reader' });
    }
    this.#waiting.push(event);
    this.#subscription.flush();
  }
}
