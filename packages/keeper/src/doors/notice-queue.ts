/**
 * Notifications that are to leave over the network. The keeper speaks to no network: a gateway asks for them, sends them and reports
 * what became of each. Until then they stay here, so that a gateway may die in between; the oldest give way to new ones. Keeps NOTE-1.
 */
import type { Notice, NoticeOutcome } from '@spool/protocol';

/** More than a user reads. A gateway that is away, or a server that does not answer, must not fill the memory. */
export const NOTICES_MAX = 100;

/** A gateway that was given some asks again at once; one that is being replaced, within this time. */
const TAKER_AGAIN_MS = 10_000;

export interface NoticeQueueOptions {
  /** There is something to send, and nobody takes it: a gateway is needed. */
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

  /** Whether a gateway takes notices. */
  get isTaken(): boolean {
    return this.#takers.size > 0 || performance.now() - this.#takenAt < TAKER_AGAIN_MS;
  }

  /** `report` is called with what became of it, unless it is dropped. Returns its number. */
  push(made: Omit<Notice, 'n'>, report?: (outcomes: readonly NoticeOutcome[]) => void): number {
    // A gateway that outlives this keeper asks for what comes after a number of the last one.
    this.#n = Math.max(this.#n + 1, Date.now());
    this.#waiting.push({ ...made, n: this.#n });
    if (report) this.#reports.set(this.#n, report);
    if (this.#waiting.length > NOTICES_MAX) this.#drop();
    for (const look of this.#takers) look();
    if (!this.isTaken) this.#options.onUntaken();
    return this.#n;
  }

  /** Calls back once, when there is something after number `after`. Returns what to call when the asker has left. */
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

  /** Nobody waits for its report any more. */
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
