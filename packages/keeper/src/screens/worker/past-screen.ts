/**
 * A screen of the past, or one with more lines above it than a live model keeps: replayed from the log in slices, so that the
 * screens of other sessions continue meanwhile. A long replay leaves keyframes, so the next question about that time waits for half
 * a second of drawing at most.
 */
import type { Log } from '@spool/store';
import type { GridSize as ScreenSize } from '@spool/screen';
import { SCROLLBACK_LINES } from '@spool/protocol';
import { type CpuClock, DrawingCost, REPLAY_MS_MAX } from './drawing-cost.ts';
import { FLOOD_KEYFRAME_EVERY_BYTES, KEYFRAME_EVERY_BYTES, type Keyframes } from './keyframes.ts';
import { keep, LIVE_SCROLLBACK_LINES, modelBefore, type PastModel, replaySteps } from './timeline.ts';

/**
 * If lines above the screen are requested, the replay starts this many bytes earlier; the next number is tried if that was not
 * enough.
 */
const HISTORY_BYTES = [256 * 1024, 2 * 1024 * 1024, 16 * 1024 * 1024];

export interface PastOptions {
  readonly log: Log;
  readonly keyframes: Keyframes;
  readonly offset: number;
  readonly firstSize: ScreenSize;
  readonly historyLines: number;
  readonly cpuMs: CpuClock;
}

export class PastScreen {
  readonly #options: PastOptions;
  readonly #to: number;
  readonly #scrollback: number;
  /** The number of attempts so far. */
  #tries = 0;
  #moment!: PastModel;
  #keptAt = 0;
  #shownAt = 0;
  #cost!: DrawingCost;
  #steps!: Generator<number, number>;

  constructor(options: PastOptions) {
    this.#options = options;
    this.#to = Math.min(options.offset, options.log.end);
    this.#scrollback = this.#wantsHistory ? SCROLLBACK_LINES : LIVE_SCROLLBACK_LINES;
    this.#begin();
  }

  /** Works until it is complete, or until `isTime` returns that other work needs its turn. */
  work(isTime: () => boolean): PastModel | null {
    do {
      const { done, value: offset } = this.#steps.next();
      this.#keep(offset, done === true);
      if (!done) continue;
      if (!this.#mayFindMore) return { ...this.#moment, offset };
      this.#moment.model.dispose();
      this.#begin();
    } while (!isTime());
    return null;
  }

  dispose(): void {
    this.#moment.model.dispose();
  }

  get #wantsHistory(): boolean {
    return this.#options.historyLines > LIVE_SCROLLBACK_LINES;
  }

  get #mayFindMore(): boolean {
    const { historyLines, log } = this.#options;
    return (
      this.#wantsHistory &&
      this.#moment.model.scrolledLines < Math.min(historyLines, SCROLLBACK_LINES) &&
      this.#moment.offset > log.start &&
      this.#tries < HISTORY_BYTES.length
    );
  }

  #begin(): void {
    const { log, keyframes, firstSize, cpuMs } = this.#options;
    const earlier = this.#wantsHistory ? HISTORY_BYTES[this.#tries]! : 0;
    this.#tries++;
    this.#moment = modelBefore(log, keyframes, this.#to - earlier, firstSize, this.#scrollback);
    this.#keptAt = this.#shownAt = this.#moment.offset;
    this.#cost = new DrawingCost(cpuMs);
    this.#steps = replaySteps(log, this.#moment, this.#to, this.#cost);
  }

  /** Stores a keyframe if one is due and the model shows exactly the output up to `offset`. */
  #keep(offset: number, isEnd: boolean): void {
    if (offset === this.#shownAt && !isEnd) return;
    this.#shownAt = offset;
    const { keyframes } = this.#options;
    const { sinceMs } = this.#cost;
    const isFar = offset - this.#keptAt >= (isEnd ? KEYFRAME_EVERY_BYTES : FLOOD_KEYFRAME_EVERY_BYTES);
    const isCostly = offset > this.#keptAt && sinceMs >= (isEnd ? REPLAY_MS_MAX / 2 : REPLAY_MS_MAX);
    if (!isFar && !isCostly) return;
    if (!keyframes.isWanted(offset, KEYFRAME_EVERY_BYTES, sinceMs)) return;
    this.#keptAt = offset;
    keep(keyframes, { ...this.#moment, offset }, this.#cost);
  }
}
