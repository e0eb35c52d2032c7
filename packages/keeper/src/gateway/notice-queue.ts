/**
 * The queue of notifications that are sent over the network. The keeper has no network access: a gateway fetches them, sends them
 * and reports the outcome of each. Until then they stay here, so that a gateway may die in between; when there are too many, the
 * oldest are dropped. Keeps NOTE-41.
 */
import type { Notice, NoticeOutcome } from '@spool/protocol';

/**
 * The maximum of waiting notices, more than a user reads. A gateway that does not run, or a server that does not answer, must not
 * fill the memory.
 */
export const NOTICES_MAX = 100;

/** A gateway that has received notices asks again at once; a gateway that is being replaced returns within this time. */
const TAKER_AGAIN_MS = 10_000;

export interface NoticeQueueOptions {
  /** Called when there are notices to send and no gateway takes them: one must be started. */
  onUntaken(): void;
  warn(sentence: string): void;
}

export class NoticeQueue {
  readonly #options: NoticeQueueOptions;
  #waiting: Notice[] = [];
  readonly #takers = new Set<() => void>();
  readonly #reports = new Map<number, (outcomes: readonly NoticeOutcome[]) => void>();
  #n = 0;
  #takenAt = -Infinity;
  #dropped = 0;

  constructor(options: NoticeQueueOptions) {
    this.#options = options;
  }

  /** Whether a gateway fetches notices. */
  get isTaken(): boolean {
    return this.#takers.size > 0 || performance.now() - this.#takenAt < TAKER_AGAIN_MS;
  }

  /** Adds a notice; `report` is called with its outcome, unless it is dropped. Returns its number. */
  push(made: Omit<Notice, 'n'>, report?: (outcomes: readonly NoticeOutcome[]) => void): number {
    // A gateway that outlives this keeper asks for the notices after a number from the previous keeper.
    this.#n = Math.max(this.#n + 1, Date.now());
    this.#waiting.push({ ...made, n: this.#n });
    if (report) this.#reports.set(this.#n, report);
    if (this.#waiting.length > NOTICES_MAX) this.#drop();
    for (const look of this.#takers) look();
    if (!this.isTaken) this.#options.onUntaken();
    return this.#n;
  }

  /**
   * Calls back once, when there are notices after number `after`. Returns the function to call when the gateway has disconnected.
   */
  take(after: number, answer: (notices: readonly Notice[]) => void): () => void {
    const look = (): void => {
      const found = this.#waiting.filter(({ n }) => n > after);
      if (found.length === 0) return;
      this.#takers.delete(look);
      this.#takenAt = performance.now();
      answer(found);
    };
    this.#takers.add(look);
    look();
    return () => this.#takers.delete(look);
  }

  done(n: number, outcomes: readonly NoticeOutcome[]): void {
    this.#waiting = this.#waiting.filter((notice) => notice.n !== n);
    for (const { channel, trouble } of outcomes)
      if (trouble !== null) this.#options.warn(`a notification was not delivered (${channel}): ${trouble}`);
    this.#reports.get(n)?.(outcomes);
    this.#reports.delete(n);
  }

  /** Forgets the callback of a notice: its report is no longer needed. */
  forget(n: number): void {
    this.#reports.delete(n);
    this.#waiting = this.#waiting.filter((notice) => notice.n !== n);
  }

  #drop(): void {
    this.#reports.delete(this.#waiting.shift()!.n);
    if (this.#dropped++ === 0)
      this.#options.warn(`more than ${NOTICES_MAX} notifications wait to be sent; the oldest are dropped`);
  }
}
