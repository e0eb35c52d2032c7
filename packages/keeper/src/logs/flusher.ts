/**
 * Flushes logs to the disk soon after they grow, so that a power cut costs at most 250 ms. No timer runs while no log grows. Keeps
 * a part of LIFE-5, its last sentence: the loss at a power cut.
 *
 * All logs that have grown are flushed together. Their times, which are in separate files, follow once a second.
 */
import type { Log } from '@spool/store';

/** The delay of a round, which itself takes some 20 ms with 200 logs, on an ordinary disk. */
const FLUSH_AFTER_MS = 170;

const TIMES_EVERY_MS = 1000;

/** The delay after a refusal, even if the log does not grow. */
const RETRY_MS = 1000;

export class Flusher {
  readonly #dirty = new Set<Log>();
  /** The logs whose bytes are durable, but not all of their times. */
  readonly #untimed = new Set<Log>();
  readonly #refused = new Set<Log>();
  #timer: NodeJS.Timeout | null = null;
  #times: NodeJS.Timeout | null = null;
  #retry: NodeJS.Timeout | null = null;
  #timesAt = -Infinity;
  #isFlushing = false;
  /** Whether another round became due while one was running. */
  #isDue = false;

  /** Notes that `log` has grown. */
  note(log: Log): void {
    this.#dirty.add(log);
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#due();
    }, FLUSH_AFTER_MS);
  }

  forget(log: Log): void {
    for (const logs of [this.#dirty, this.#untimed, this.#refused]) logs.delete(log);
  }

  #due(): void {
    if (this.#isFlushing) this.#isDue = true;
    else void this.#flushAll();
  }

  async #flushAll(): Promise<void> {
    this.#isFlushing = true;
    const now = performance.now();
    const times = now - this.#timesAt >= TIMES_EVERY_MS;
    if (times) {
      this.#timesAt = now;
      for (const log of this.#untimed) this.#dirty.add(log);
      this.#untimed.clear();
    }
    const logs = [...this.#dirty];
    this.#dirty.clear();
    await Promise.all(logs.map((log) => this.#flush(log, times)));
    this.#isFlushing = false;
    if (this.#refused.size > 0) this.#retry ??= setTimeout(() => this.#tryAgain(), RETRY_MS);
    if (this.#untimed.size > 0) this.#times ??= setTimeout(() => this.#timesDue(), TIMES_EVERY_MS);
    if (!this.#isDue) return;
    this.#isDue = false;
    void this.#flushAll();
  }

  async #flush(log: Log, times: boolean): Promise<void> {
    if (!log.isDirty) return;
    if ((await log.flush({ times })) !== undefined) this.#refused.add(log);
    else if (!times && log.isDirty) this.#untimed.add(log);
  }

  #timesDue(): void {
    this.#times = null;
    if (this.#untimed.size > 0) this.#due();
  }

  #tryAgain(): void {
    this.#retry = null;
    const logs = [...this.#refused];
    this.#refused.clear();
    for (const log of logs) this.note(log);
  }
}
