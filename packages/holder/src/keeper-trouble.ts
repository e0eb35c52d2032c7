/**
 * Records the reason why no keeper can be started, for clients: they reach the daemon's socket, where no keeper answers. Keeps
 * LIFE-15.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { troubleFile } from '@spool/protocol';

/** Failures that pass (no memory, no file descriptors for a moment) are none of a client's business: it tries longer than that. */
const LASTING_MS = 3000;

export class KeeperTrouble {
  readonly #state: () => string;
  #since: number | null = null;

  /** `state` returns the state folder, which may move. */
  constructor(state: () => string) {
    this.#state = state;
  }

  /** Called after each failure. A client that waits notices that the file is written again. */
  report(reason: string): void {
    this.#since ??= performance.now();
    if (performance.now() - this.#since < LASTING_MS) return;
    const advice = '`spool daemon restart` of an installation that works repairs this, and no session is lost';
    try {
      writeFileSync(troubleFile(this.#state()), `${reason}; ${advice}\n`, { mode: 0o600 });
    } catch {
      // the daemon's log has the reason too
    }
  }

  /** Called when a keeper is ready. Also removes what an earlier daemon has left. */
  clear(): void {
    this.#since = null;
    try {
      rmSync(troubleFile(this.#state()), { force: true });
    } catch {
      // a folder that may not be written: clients believe a report only if it is renewed
    }
  }
}
