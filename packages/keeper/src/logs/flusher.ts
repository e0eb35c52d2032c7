/**
 * Flushes logs to the disk soon after they grow, so that a power cut costs at most 250 ms. No timer runs while nothing
 * grows. Keeps the last sentence of LIFE-5.
 */
import type { Log } from '@spool/core';

const FLUSH_AFTER_MS = 150;

/** After a refusal, the disk is tried again, whether or not the log grows. */
const RETRY_MS = 1000;

/** A disk takes several flushes at once; more would only fill Node's few threads. */
const AT_ONCE = 3;

export class Flusher {
  readonly #dirty = new Set<Log>();
  readonly #refused = new Set<Log>();
  #timer: NodeJS.Timeout | null = null;
  #retry: NodeJS.Timeout | null = null;

  /** `log` has grown. */
  note(log: Log): void {
    this.#dirty.add(log);
    this.#timer ??= setTimeout(() => void this.#flushAll(), FLUSH_AFTER_MS);
  }

  forget(log: Log): void {
    this.#dirty.delete(log);
    this.#refused.delete(log);
  }

  async #flushAll(): Promise<void> {
    const logs = [...this.#dirty];
    this.#dirty.clear();
    const worker = async (): Promise<void> => {
      for (let log = logs.pop(); log; log = logs.pop()) {
        if (!log.isDirty || (await log.flush()) === undefined) continue;
        this.#refused.add(log);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    this.#timer = null;
    if (this.#refused.size > 0) this.#retry ??= setTimeout(() => this.#tryAgain(), RETRY_MS);
    if (this.#dirty.size > 0) this.#timer = setTimeout(() => void this.#flushAll(), FLUSH_AFTER_MS);
  }

  #tryAgain(): void {
    this.#retry = null;
    const logs = [...this.#refused];
    this.#refused.clear();
    for (const log of logs) this.note(log);
  }
}
