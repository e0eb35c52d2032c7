/**
 * Decides when to draw: soon after a change, once for all changes until then, and when the picture changes with time. A slow
 * terminal gets fewer frames, never a queue of them.
 */
import { msUntilShortChanges } from '@spool/protocol/duration';

const FRAME_MS = 40;
const TICK_MS = 1000;

export interface DrawnFrame {
  /** Resolves when the terminal has room for more. */
  readonly written: Promise<void>;
  /** The time after which the picture changes without input; null if it does not. */
  readonly nextMs: number | null;
}

export class FrameLoop implements Disposable {
  readonly #draw: () => DrawnFrame;
  readonly #frameMs: number;
  #frame: NodeJS.Timeout | undefined;
  #tick: NodeJS.Timeout | undefined;
  #drawnAt = -Infinity;
  #isWriting = false;
  #isStale = false;
  #isOver = false;

  /** Draws at most one frame in `frameMs`. */
  constructor(draw: () => DrawnFrame, frameMs = FRAME_MS) {
    this.#draw = draw;
    this.#frameMs = frameMs;
  }

  readonly changed = (): void => {
    this.#isStale = true;
    if (this.#isOver || this.#isWriting || this.#frame !== undefined) return;
    const waitMs = Math.max(0, this.#drawnAt + this.#frameMs - performance.now());
    this.#frame = setTimeout(() => void this.#turn(), waitMs);
  };

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#frame);
    clearTimeout(this.#tick);
  }

  async #turn(): Promise<void> {
    this.#frame = undefined;
    this.#isStale = false;
    this.#isWriting = true;
    this.#drawnAt = performance.now();
    const { written, nextMs } = this.#draw();
    clearTimeout(this.#tick);
    if (nextMs !== null) this.#tick = setTimeout(this.changed, nextMs);
    await written;
    this.#isWriting = false;
    if (this.#isStale) this.changed();
  }
}

/** Returns the time until the text of one of these ages changes; null if there are none. */
export function msUntilAgeChanges(agesMs: readonly number[]): number | null {
  return agesMs.length === 0 ? null : Math.max(TICK_MS, Math.min(...agesMs.map(msUntilShortChanges)));
}
