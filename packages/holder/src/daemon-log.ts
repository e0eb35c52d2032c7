/**
 * The log of the daemon's own processes, one line per message, in a file for users to read. Past a few megabytes, the
 * file is copied to `daemon.log.1` and truncated in place. All processes write to one open file in append mode, so none
 * has to reopen it; a line written between copy and truncation may be lost. Keeps LIFE-11.
 */
import { isLogged, LOG_LEVELS, type LogLevel, logLevelOf, logLine } from '@spool/protocol';
import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';

export const LOG_BYTES_MAX = 4 * 1024 * 1024;

export class DaemonLog {
  #fd: number;
  #path: string;
  readonly #who: string;
  readonly #wanted: LogLevel;

  /** `level` has the values of `SPOOL_LOG`. */
  constructor(path: string, who: string, level?: string) {
    this.#path = path;
    this.#who = who;
    this.#fd = openSync(path, 'a', 0o600);
    this.bound();
    const wanted = logLevelOf(level);
    this.#wanted = wanted ?? 'info';
    if (wanted === null)
      this.say(`SPOOL_LOG=${JSON.stringify(level)} is not a level; use ${LOG_LEVELS.join(', ')}`, 'warn');
  }

  get fd(): number {
    return this.#fd;
  }

  /** Opens the log at its new path: the file was moved or deleted. */
  reopen(path: string): void {
    this.#path = path;
    try {
      const fd = openSync(path, 'a', 0o600);
      closeSync(this.#fd);
      this.#fd = fd;
    } catch {
      // The log continues in the old file.
    }
  }

  say(sentence: string, level: LogLevel = 'info'): void {
    if (!isLogged(level, this.#wanted)) return;
    try {
      writeSync(this.#fd, logLine(level, this.#who, process.pid, sentence));
    } catch {
      // A full disk must not stop the daemon, and there is no other place to report it.
    }
  }

  /**
   * Truncates a log that is too long. Only the holder calls this: if two processes copied at once, one would copy the file after
   * the other had truncated it.
   */
  bound(): void {
    try {
      const open = fstatSync(this.#fd);
      if (open.size <= LOG_BYTES_MAX) return;
      // A file that the user has moved away is left alone.
      const named = statSync(this.#path, { throwIfNoEntry: false });
      if (named?.ino === open.ino && named.dev === open.dev) copyFileSync(this.#path, `${this.#path}.1`);
      ftruncateSync(this.#fd);
    } catch {
      // No room for a copy: try again at the next call
    }
  }
}
