/**
 * Writes a session's record to disk. The next keeper can read it at once; it is durable (even after a power cut) some milliseconds
 * later, off-thread. A write that the disk refuses is retried until it succeeds. Keeps LIFE-10.
 */
import { dirname } from 'node:path';
import { forgetLastRecord, LogSync, RECORD_FILE, type SessionRecord, writeRecord } from '@spool/store';
import type { Semaphore } from '@spool/native/semaphore';

/** The delay before a full disk is tried again. */
const RECORD_RETRY_MS = 500;

export interface RecordKeeperOptions {
  readonly folder: string;
  readonly diskAccess: Semaphore;
  warn(sentence: string): void;
}

export class RecordKeeper {
  readonly #options: RecordKeeperOptions;
  readonly #sync = new LogSync(() => undefined);
  /** The record that the disk has not accepted yet. */
  #refused: SessionRecord | null = null;
  #retry: NodeJS.Timeout | null = null;
  #isSyncing = false;
  /** Whether the record was written after the last sync started. */
  #isUnsynced = false;
  #isDurable = false;
  #isNew = true;
  #isTroubled = false;
  #isClosed = false;
  readonly #waiting: (() => void)[] = [];

  constructor(options: RecordKeeperOptions) {
    this.#options = options;
  }

  /** Writes the record, at once if the disk accepts it. */
  write(record: SessionRecord): void {
    if (this.#isClosed) return;
    try {
      writeRecord(this.#options.folder, record, { keepLast: this.#isDurable });
      this.#refused = null;
      this.#wrote();
    } catch (error) {
      this.#refused = record;
      this.#tryAgain(error as Error);
    }
  }

  /** Syncs a record that another keeper wrote: it may not be durable yet. */
  adopt(): void {
    this.#isNew = false;
    this.#wrote();
  }

  /** Resolves when all writes are durable, or the session has been removed. */
  durable(): Promise<void> {
    if (this.#isClosed || (this.#isDurable && !this.#refused)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Stops all writes, because the session's folder is being removed. */
  close(): void {
    this.#isClosed = true;
    if (this.#retry) clearTimeout(this.#retry);
    this.#done();
  }

  #wrote(): void {
    this.#isDurable = false;
    this.#isUnsynced = true;
    if (this.#isSyncing) return;
    this.#isSyncing = true;
    void this.#options.diskAccess.run(() => this.#syncAll());
  }

  async #syncAll(): Promise<void> {
    const { folder } = this.#options;
    while (this.#isUnsynced && !this.#isClosed) {
      this.#isUnsynced = false;
      // The record, its entry in the folder, and the folder's own entry are synced.
      this.#sync.addFile(`${folder}/${RECORD_FILE}`);
      this.#sync.addFolder(folder);
      if (this.#isNew) this.#sync.addFolder(dirname(folder));
      const failure = await this.#sync.flush();
      if (failure === undefined) {
        this.#isNew = this.#isTroubled = false;
        continue;
      }
      this.#isSyncing = false;
      this.#tryAgain(failure);
      return;
    }
    this.#isSyncing = false;
    if (this.#isClosed) return;
    this.#isDurable = true;
    forgetLastRecord(folder);
    if (!this.#refused) this.#done();
  }

  /** Retries later; the fault is reported once, until a write succeeds. */
  #tryAgain(trouble: Error): void {
    if (!this.#isTroubled)
      this.#options.warn(`cannot write the record in ${this.#options.folder}, retrying: ${trouble.message}`);
    this.#isTroubled = true;
    this.#retry ??= setTimeout(() => {
      this.#retry = null;
      if (this.#refused) this.write(this.#refused);
      else this.#wrote();
    }, RECORD_RETRY_MS);
  }

  #done(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
