/**
 * Counts wrong tokens and codes, by address. A correct token is always accepted, so that no one can lock out others from the same
 * address. With 256 bits guessing is hopeless anyway; this limit keeps the attempts cheap and visible. Keeps DOOR-40.
 */
import { SpoolError } from '@spool/protocol';

export const FAILURES_MAX = 10;
export const WINDOW_MS = 60_000;
/** The maximum of addresses; when it is exceeded, all are forgotten together. */
const ADDRESSES_MAX = 10_000;

export class FailureLimit {
  readonly #now: () => number;
  readonly #failures = new Map<string, { count: number; since: number }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns the error for this failure: `error`, or RATE_LIMITED. `isTold`: the failure is written to the audit log. */
  fail(address: string, error: SpoolError): { readonly error: SpoolError; readonly isTold: boolean } {
    const now = this.#now();
    let found = this.#failures.get(address);
    if (!found || now - found.since > WINDOW_MS) {
      if (this.#failures.size >= ADDRESSES_MAX) this.#failures.clear();
      this.#failures.set(address, (found = { count: 0, since: now }));
    }
    found.count++;
    const isOver = found.count > FAILURES_MAX;
    return { error: isOver ? new SpoolError('RATE_LIMITED') : error, isTold: found.count <= FAILURES_MAX + 1 };
  }
}
