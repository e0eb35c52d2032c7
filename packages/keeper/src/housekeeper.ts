/**
 * Retention and compression, out of the way of the living: a log is looked at when one of its segments was sealed, and
 * compressed one segment at a time, once its session has been quiet for a moment or too much has piled up.
 */
import { LOG_DEFAULTS, type Log } from '@spool/core';

/** A flood needs the processor for itself; a moment of quiet is soon enough. */
const QUIET_MS = 1500;

/** Nothing waits longer than this, flood or not: the disk is not for ever either. */
const PATIENCE_MS = 30_000;

export class Housekeeper {
  /** How far each log had grown when it was last looked at. */
  readonly #lookedAt = new WeakMap<Log, number>();
  /** Log → when it grew last, and since when it waits. */
  readonly #waiting = new Map<Log, { grewAt: number; readonly since: number }>();
  readonly #complain: (sentence: string) => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(complain: (sentence: string) => void) {
    this.#complain = complain;
  }

  /** `log` has grown. */
  note(log: Log): void {
    const waiting = this.#waiting.get(log);
    const now = performance.now();
    if (waiting) waiting.grewAt = now;
    else if (log.end - (this.#lookedAt.get(log) ?? log.start) > LOG_DEFAULTS.segmentBytes) {
      this.#waiting.set(log, { grewAt: now, since: now });
      this.#timer ??= setTimeout(() => void this.#work(), QUIET_MS);
    }
  }

  forget(log: Log): void {
    this.#waiting.delete(log);
  }

  async #work(): Promise<void> {
    for (const [log, { grewAt, since }] of this.#waiting) {
      const now = performance.now();
      if (now - grewAt < QUIET_MS && now - since < PATIENCE_MS) continue;
      this.#waiting.delete(log);
      this.#lookedAt.set(log, log.end);
      await this.#tidy(log);
    }
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => void this.#work(), QUIET_MS) : null;
  }

  async #tidy(log: Log): Promise<void> {
    try {
      log.retain(Date.now());
      while (await log.compressOne());
      log.retain(Date.now());
    } catch (error) {
      // A full disk: the segment stays as it is, and its turn comes again when the log has grown.
      this.#complain(`a log could not be compressed: ${(error as Error).message}`);
    }
  }
}
