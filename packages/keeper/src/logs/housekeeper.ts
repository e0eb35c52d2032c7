/**
 * Retention and compression in the background. A session is checked when a segment of its log was sealed (and by the
 * sweep, see `sweeper.ts`), and compressed one segment at a time, once it has been quiet for a moment or too much has
 * piled up. Keeps LOG-5, with `sweeper.ts`.
 */
import { LOG_DEFAULTS, type Log } from '@spool/core';

/** During a flood the processor is needed elsewhere; a moment of quiet comes soon enough. */
const QUIET_MS = 1500;

/** Nothing waits longer than this, even in a flood: the disk is limited too. */
const PATIENCE_MS = 30_000;

/** What the housekeeper maintains: a session. */
export interface Kept {
  readonly log: Log;
  /** The size of what is stored beside the log: keyframes, history and the like. */
  bytesBeside(): Promise<number>;
  /** The log starts later now. */
  dropped(): void;
}

export class Housekeeper {
  /** The size of each log when it was last checked. */
  readonly #lookedAt = new WeakMap<Kept, number>();
  /** When each grew last, and since when it waits. */
  readonly #waiting = new Map<Kept, { grewAt: number; readonly since: number }>();
  readonly #removed = new WeakSet<Kept>();
  readonly #warn: (sentence: string) => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  /** Its log has grown. */
  note(kept: Kept): void {
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

  forget(kept: Kept): void {
    this.#waiting.delete(kept);
    this.#removed.add(kept);
  }

  /** Drops what is too old or too much, and compresses the rest. */
  async tidy(kept: Kept): Promise<void> {
    try {
      const besideBytes = await kept.bytesBeside();
      if (this.#removed.has(kept)) return;
      const { log } = kept;
      const { start } = log;
      log.retain(Date.now(), besideBytes);
      while (await log.compressOne());
      if (log.retain(Date.now(), besideBytes) !== start && !this.#removed.has(kept)) kept.dropped();
    } catch (error) {
      // A full disk: the segment stays as it is. It is tried again when the log has grown, or with the next sweep.
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
