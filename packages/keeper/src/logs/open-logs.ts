/** Keeps the number of open log files small: closes the least recently used ones, which reopen when used. */
import type { Log } from '@spool/core';
import { openFiles } from '@spool/native/open-files';

/** More busy sessions than this would open and close their files all the time. */
const OPEN_MAX = 1000;

/** One in this many of the files that we may open is a log's: each log has two, and a reader may have them too. */
const FILES_PER_LOG = 16;

export class OpenLogs {
  /** In order of use: a Set remembers insertion. */
  readonly #used = new Set<Log>();
  readonly #max = Math.min(OPEN_MAX, Math.ceil(openFiles().limit / FILES_PER_LOG));

  touch(log: Log): void {
    this.#used.delete(log);
    this.#used.add(log);
    if (this.#used.size <= this.#max) return;
    const oldest = this.#used.values().next().value!;
    this.#used.delete(oldest);
    oldest.release();
  }

  forget(log: Log): void {
    this.#used.delete(log);
  }
}
