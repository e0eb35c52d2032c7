/** Keeps the number of open log files small: those used longest ago are closed, and open again by themselves when used. */
import type { Log } from '@spool/core';

const OPEN_MAX = 200;

export class OpenLogs {
  /** In order of use: a Set remembers insertion. */
  readonly #used = new Set<Log>();

  touch(log: Log): void {
    this.#used.delete(log);
    this.#used.add(log);
    if (this.#used.size <= OPEN_MAX) return;
    const oldest = this.#used.values().next().value!;
    this.#used.delete(oldest);
    oldest.release();
  }

  forget(log: Log): void {
    this.#used.delete(log);
  }
}
