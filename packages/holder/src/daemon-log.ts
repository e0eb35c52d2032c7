/** What the daemon's own processes have to say, one line each, in a file that a person may read. Kept small. */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

const BYTES_MAX = 4 * 1024 * 1024;

export class DaemonLog {
  readonly fd: number;
  readonly #who: string;

  constructor(path: string, who: string) {
    this.#who = who;
    let fd = openSync(path, 'a', 0o600);
    if (fstatSync(fd).size > BYTES_MAX) {
      closeSync(fd);
      renameSync(path, `${path}.1`);
      fd = openSync(path, 'a', 0o600);
    }
    this.fd = fd;
  }

  say(sentence: string): void {
    try {
      writeSync(this.fd, `${new Date().toISOString()} ${this.#who}[${process.pid}]: ${sentence}\n`);
    } catch {
      // A full disk must not take the daemon with it; there is nowhere else to complain.
    }
  }
}
