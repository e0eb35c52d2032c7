/**
 * When to draw: soon after something has changed, once for all that changes until then; and when an age that is in view will
 * read differently. A terminal that is slow gets fewer pictures, never a queue of them.
 */

/** Nobody sees more than so many pictures a second. */
const FRAME_MS = 40;
const TICK_MS = 1000;
/** As `formatAge` cuts an age: seconds below a minute, minutes below an hour, … */
const AGE_STEPS_MS = [1000, 60_000, 3_600_000, 86_400_000] as const;

export interface Drawn {
  /** How old what is in view is. */
  readonly agesMs: readonly number[];
  /** Resolves when the terminal has room for more. */
  readonly written: Promise<void>;
}

export class WatchPainter implements Disposable {
  readonly #draw: () => Drawn;
  #frame: NodeJS.Timeout | undefined;
  #tick: NodeJS.Timeout | undefined;
  #isWriting = false;
  #isStale = false;
  #isOver = false;

  constructor(draw: () => Drawn) {
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
      this.#tick = setTimeout(this.changed, Math.max(TICK_MS, Math.min(...agesMs.map(untilNextAge))));
    await written;
    this.#isWriting = false;
    if (this.#isStale) this.changed();
  }
}

export function untilNextAge(ageMs: number): number {
  const age = Math.max(0, ageMs);
  const step = AGE_STEPS_MS.findLast((each, at) => at === 0 || age >= each)!;
  return step - (age % step);
}
