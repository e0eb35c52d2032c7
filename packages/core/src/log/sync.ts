/**
 * Tracks what of a log is not durable yet, and syncs it in rounds.
 *
 * A round syncs what was there when it started. Callers during a round share the next one, so at most one sync runs and
 * one waits.
 */
import { isSystemError, syncFile, syncFolder } from './files.ts';

export type FlushResult = NodeJS.ErrnoException | undefined;

export class LogSync {
  readonly #collect: () => FlushResult;
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();
  #running: Promise<FlushResult> | undefined;
  #next: Promise<FlushResult> | undefined;

  /** `collect` starts a round: it writes what waits and adds the files to sync. */
  constructor(collect: () => FlushResult) {
    this.#collect = collect;
  }

  /** In the order in which they are to reach the disk. */
  addFile(path: string): void {
    this.#files.add(path);
  }

  addFolder(path: string): void {
    this.#folders.add(path);
  }

  get isEmpty(): boolean {
    return this.#files.size === 0 && this.#folders.size === 0;
  }

  /** Never rejects because of the disk: it resolves with the error, and the next round tries again. */
  flush(): Promise<FlushResult> {
    if (this.#running === undefined) {
      this.#running = this.#round().finally(() => (this.#running = undefined));
      return this.#running;
    }
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.flush();
    });
    return this.#next;
  }

  async #round(): Promise<FlushResult> {
    const failures = [this.#collect()];
    failures.push(await syncAll(this.#files, syncFile), await syncAll(this.#folders, syncFolder));
    return failures.find((failure) => failure !== undefined);
  }
}

/** One after the other: the order matters, and the thread pool has only four threads for everything. */
async function syncAll(paths: Set<string>, sync: (path: string) => Promise<void>): Promise<FlushResult> {
  let failure: FlushResult;
  for (const path of [...paths]) {
    paths.delete(path); // before the sync: a write during the sync adds it again
    try {
      await sync(path);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      paths.add(path);
      failure ??= error;
    }
  }
  return failure;
}
