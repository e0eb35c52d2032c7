/**
 * Records the reason why no keeper can be started, for clients: they reach the daemon's socket, where no keeper answers. Keeps
 * LIFE-15.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { troubleFile } from '@spool/protocol';

/** Temporary failures (no memory or file descriptors for a moment) are not reported: a client retries for longer than they last. */
const LASTING_MS = 3000;

export class KeeperTrouble {
  readonly #state: () => string;
  #since: number | null = null;

  /** `state` returns the state folder, which may move. */
  constructor(state: () => string) {
    this.#state = state;
  }

  /** Called after each failure. A client that waits notices when the file is written again. */
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

  /** Called when a keeper is ready. It also removes the report of an earlier daemon. */
  clear(): void {
    this.#since = null;
    try {
      rmSync(troubleFile(this.#state()), { force: true });
    } catch {
      // the folder is not writable: clients believe a report only if it is renewed
    }
  }
}
