/**
 * What the daemon's own processes have to say, one line each, in a file that a person may read. Kept small: past a few
 * megabytes it is copied to `daemon.log.1` and emptied in place. All processes write to one open file, in append mode, so
 * none has to be told; a line that is written between the two may be lost.
 */
import { copyFileSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';

export const LOG_BYTES_MAX = 4 * 1024 * 1024;

export class DaemonLog {
  readonly fd: number;
  readonly #path: string;
  readonly #who: string;

  constructor(path: string, who: string) {
    this.#path = path;
    this.#who = who;
    this.fd = openSync(path, 'a', 0o600);
    this.bound();
  }

  say(sentence: string): void {
    try {
      writeSync(this.fd, `${new Date().toISOString()} ${this.#who}[${process.pid}]: ${sentence}\n`);
    } catch {
      // A full disk must not take the daemon with it; there is nowhere else to complain.
    }
  }

  /** Only the holder calls it: two that copy at once would copy what the other has emptied. */
  bound(): void {
    try {
      const open = fstatSync(this.fd);
      if (open.size <= LOG_BYTES_MAX) return;
      // Moved away by somebody, it is his to keep.
      const named = statSync(this.#path, { throwIfNoEntry: false });
      if (named?.ino === open.ino && named.dev === open.dev) copyFileSync(this.#path, `${this.#path}.1`);
      ftruncateSync(this.fd);
    } catch {
      // No room for a copy: it is tried again
    }
  }
}
