/** Keeps the number of open log files small: closes the least recently used ones, which reopen when used. */
import type { Log } from '@spool/store';
import { openFiles } from '@spool/native/open-files';

/** The maximum of open logs; with more busy sessions, files are opened and closed all the time. */
const OPEN_MAX = 1000;

/** The limit of open files is divided by this number, because each log has two files, and a reader may have them open too. */
const FILES_PER_LOG = 16;

export class OpenLogs {
  /** The logs in order of use: a Set keeps the order of insertion. */
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
