/**
 * What of a log is not on the disk yet, and the rounds that put it there.
 *
 * A round syncs what was there when it began. Who asks while one is under way shares the next one, so however many ask,
 * at most one sync runs and one waits.
 */
import { isSystemError, syncFile, syncFolder } from './files.ts';

export type FlushResult = NodeJS.ErrnoException | undefined;

export class LogSync {
  readonly #collect: () => FlushResult;
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();
  #running: Promise<FlushResult> | undefined;
  #next: Promise<FlushResult> | undefined;

  /** `collect` begins a round: it writes what waits and adds the files to sync. */
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

  /** Never rejects for what the disk says: it resolves with the error, and what failed is tried again by the next round. */
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

/** One after the other: the order counts, and the thread pool has only four threads for everybody. */
async function syncAll(paths: Set<string>, sync: (path: string) => Promise<void>): Promise<FlushResult> {
  let failure: FlushResult;
  for (const path of [...paths]) {
    paths.delete(path); // before the sync: what is written meanwhile adds it again
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
