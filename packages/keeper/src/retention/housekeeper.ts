/**
 * Applies retention and compression in the background. A log is checked when one of its segments was sealed (and by the sweep,
 * see `sweeper.ts`), and compressed one segment at a time, once it has been quiet for a moment or too much has piled up. Keeps
 * LOG-5, with `sweeper.ts`.
 */
import { LOG_DEFAULTS, type Log } from '@spool/store';

/** The time for which a log must be quiet, because during a flood the processor is needed elsewhere. */
const QUIET_MS = 1500;

/** The maximum wait, even in a flood, because the disk is limited too. */
const PATIENCE_MS = 30_000;

/** A log that the housekeeper maintains. */
export interface RetainedLog {
  readonly log: Log;
  /** Returns the size of the files beside the log: keyframes, history and the like. */
  bytesBeside(): Promise<number>;
  /** Called when the start of the log was dropped. */
  dropped(): void;
}

export class Housekeeper {
  /** The size of each log when it was last checked. */
  readonly #lookedAt = new WeakMap<RetainedLog, number>();
  /** The waiting logs: the time of each one's last growth, and the time since which it waits. */
  readonly #waiting = new Map<RetainedLog, { grewAt: number; readonly since: number }>();
  readonly #removed = new WeakSet<RetainedLog>();
  readonly #warn: (sentence: string) => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  /** Notes that the log has grown. */
  note(kept: RetainedLog): void {
    const waiting = this.#waiting.get(kept);
    const now = performance.now();
    if (waiting) {
      waiting.grewAt = now;
      return;
    }
    const { log } = kept;
    if (log.end - (this.#lookedAt.get(kept) ?? log.start) <= LOG_DEFAULTS.segmentBytes) return;
    this.#waiting.set(kept, { grewAt: now, since: now });
    this.#timer ??= setTimeout(() => void this.#work(), QUIET_MS);
  }

  forget(kept: RetainedLog): void {
    this.#waiting.delete(kept);
    this.#removed.add(kept);
  }

  /** Drops output beyond the limits of age and size, and compresses the rest. */
  async tidy(kept: RetainedLog): Promise<void> {
    try {
      const besideBytes = await kept.bytesBeside();
      if (this.#removed.has(kept)) return;
      const { log } = kept;
      const { start } = log;
      log.retain(Date.now(), besideBytes);
      while (await log.compressOne());
      if (log.retain(Date.now(), besideBytes) !== start && !this.#removed.has(kept)) kept.dropped();
    } catch (error) {
      // The disk is full: the segment stays uncompressed. The compression is tried again when the log has grown, or with the next
      // sweep.
      this.#warn(`a log could not be compressed: ${(error as Error).message}`);
    }
  }

  async #work(): Promise<void> {
    for (const [kept, { grewAt, since }] of this.#waiting) {
      const now = performance.now();
      if (now - grewAt < QUIET_MS && now - since < PATIENCE_MS) continue;
      this.#waiting.delete(kept);
      this.#lookedAt.set(kept, kept.log.end);
      await this.tidy(kept);
    }
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => void this.#work(), QUIET_MS) : null;
  }
}
