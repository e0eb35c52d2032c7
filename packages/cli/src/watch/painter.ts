/**
 * Decides when to draw: shortly after a change, once for all changes until then; and when a visible age changes its text. A slow
 * terminal gets fewer frames, never a queue of them.
 */
import { msUntilShortChanges } from '@spool/protocol/duration';

/** The minimum time between two frames. */
const FRAME_MS = 40;
const TICK_MS = 1000;

export interface DrawResult {
  /** The visible ages. */
  readonly agesMs: readonly number[];
  /** Resolves when the terminal has room for more. */
  readonly written: Promise<void>;
}

export class WatchPainter implements Disposable {
  readonly #draw: () => DrawResult;
  #frame: NodeJS.Timeout | undefined;
  #tick: NodeJS.Timeout | undefined;
  #isWriting = false;
  #isStale = false;
  #isOver = false;

  constructor(draw: () => DrawResult) {
    this.#draw = draw;
  }

  readonly changed = (): void => {
    this.#isStale = true;
    if (this.#isOver || this.#isWriting || this.#frame !== undefined) return;
    this.#frame = setTimeout(() => void this.#paint(), FRAME_MS);
  };

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#frame);
    clearTimeout(this.#tick);
  }

  async #paint(): Promise<void> {
    this.#frame = undefined;
    this.#isStale = false;
    this.#isWriting = true;
    const { agesMs, written } = this.#draw();
    clearTimeout(this.#tick);
    if (agesMs.length > 0)
      this.#tick = setTimeout(this.changed, Math.max(TICK_MS, Math.min(...agesMs.map(msUntilShortChanges))));
    await written;
    this.#isWriting = false;
    if (this.#isStale) this.changed();
  }
}
