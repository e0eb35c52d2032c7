/** Watches one session: every byte from the cursor on, exactly once, then the end. `Subscription` does the work. */
import type { Requests, WatchFrom } from '@spool/protocol';
import type { Channel, Connection } from '../link/connection.ts';
import { Subscription, type SubscriptionOptions } from './subscription.ts';
import type { Requester } from '../link/requests.ts';
import type { WatchItem } from './watch-queue.ts';

export { CREDIT_BYTES } from './subscription.ts';

export interface WatchOptions extends SubscriptionOptions {
  /** Where to start (default: the first byte that is kept). */
  readonly from?: WatchFrom | undefined;
}

export class Watch extends Subscription<WatchItem> {
  /** Where the caller wants to start; from the first answer on the cursor counts. */
  readonly #from: WatchFrom;

  constructor(requester: Requester, session: string, options: WatchOptions = {}) {
    super(requester, session, options);
    this.#from = options.from ?? 'start';
    this.start();
  }

  protected ask(connection: Connection, creditBytes: number, channel: Channel): number {
    const from = this.reached ?? this.#from;
    return connection.open('watch', { session: this.session, from, creditBytes }, channel);
  }

  protected hearAnswer(answer: unknown): void {
    const { id, from } = answer as Requests['watch']['answer'];
    const asked = this.reached ?? this.#from;
    if (typeof asked === 'number' && from !== asked) throw this.fault({ asked, from });
    this.settle(id, from);
  }
}
