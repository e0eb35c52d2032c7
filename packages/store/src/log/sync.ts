/**
 * Tracks the data of a log that is not durable yet, and syncs it in rounds.
 *
 * A round syncs the data that exists when it starts. Callers during a round share the next one, so at most one sync runs and one
 * waits.
 */
import { isSystemError, syncFile, syncFolder } from './files.ts';
import { syncOpenFile } from './open-file-sync.ts';

export type FlushResult = NodeJS.ErrnoException | undefined;

/** The order of a file: durable before the others, or at any time. */
type Rank = 'first' | 'any';

interface OpenFile {
  /** -1 while the file is closed. */
  readonly fd: number;
}

const CLOSED: OpenFile = { fd: -1 };

export class LogSync {
  readonly #collect: (isAll: boolean) => FlushResult;
  readonly #files: Readonly<Record<Rank, Map<string, OpenFile>>> = { first: new Map(), any: new Map() };
  readonly #folders = new Set<string>();
  #running: Promise<FlushResult> | undefined;
  #next: Promise<FlushResult> | undefined;
  #isNextAll = false;

  /** `collect` starts a round: it writes the waiting data and adds the files to sync; all, or only the urgent ones. */
  constructor(collect: (isAll: boolean) => FlushResult) {
    this.#collect = collect;
  }

  /** Adds a file; `file` has the fd by which it is written, if that is open at the moment. */
  addFile(path: string, file: OpenFile = CLOSED, rank: Rank = 'any'): void {
    this.#files[rank].set(path, file);
  }

  addFolder(path: string): void {
    this.#folders.add(path);
  }

  get isEmpty(): boolean {
    return this.#files.first.size === 0 && this.#files.any.size === 0 && this.#folders.size === 0;
  }

  /** Syncs; never rejects because of the disk: it resolves with the error, and the next round tries again. */
  flush(isAll = true): Promise<FlushResult> {
    if (this.#running === undefined) {
      this.#running = this.#round(isAll).finally(() => (this.#running = undefined));
      return this.#running;
    }
    this.#isNextAll ||= isAll;
    this.#next ??= this.#running.then(() => {
      const isNextAll = this.#isNextAll;
      this.#next = undefined;
      this.#isNextAll = false;
      return this.flush(isNextAll);
    });
    return this.#next;
  }

  async #round(isAll: boolean): Promise<FlushResult> {
    const failures = [this.#collect(isAll)];
    const { first, any } = this.#files;
    // There is no await if there are no such files, so that all logs that are flushed together are synced together.
    if (first.size > 0) failures.push(await syncFiles(first));
    if (any.size > 0) failures.push(await syncFiles(any));
    if (this.#folders.size > 0) failures.push(await syncFolders(this.#folders));
    return failures.find((failure) => failure !== undefined);
  }
}

/** Syncs these files together: the order among them does not matter. */
async function syncFiles(files: Map<string, OpenFile>): Promise<FlushResult> {
  const all = [...files];
  files.clear(); // before the sync, because a write during the sync adds it again
  const syncs = all.map(async ([path, file]): Promise<FlushResult> => {
    try {
      await (file.fd < 0 ? syncFile(path) : syncOpenFile(file.fd));
      return undefined;
    } catch (error) {
      if (!isSystemError(error)) throw error;
      files.set(path, file);
      return error;
    }
  });
  return (await Promise.all(syncs)).find((failure) => failure !== undefined);
}

async function syncFolders(paths: Set<string>): Promise<FlushResult> {
  let failure: FlushResult;
  for (const path of [...paths]) {
    paths.delete(path);
    try {
      await syncFolder(path);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      paths.add(path);
      failure ??= error;
    }
  }
  return failure;
}
