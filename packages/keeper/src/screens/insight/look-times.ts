/**
 * Decides when to look at a session's screen: when output pauses, or at intervals while it does not.
 *
 * Finished lines of plain text are looked at less often while the session counts as working: a program that asks leaves the cursor
 * behind its question, or paints. 200 sessions that print 20 lines a second cost a fifth less this way (decision 028).
 */

/** The pause after which the screen is stable enough for a look. */
const REST_MS = 40;
/** The interval of looks at output that never pauses. */
const LOOK_EVERY_MS = 150;

const PLAIN_REST_MS = 200;
const PLAIN_LOOK_EVERY_MS = 500;
/** The grain for plain sessions, whose looks coincide, so that the thread wakes up rarely. */
const PLAIN_GRAIN_MS = 50;

const ESC = 0x1b;
const NEWLINE = 0x0a;

export class LookTimes {
  /** The times of the first and last output since the last look; null if there was none. */
  #firstAt: number | null = null;
  #lastAt = 0;
  #isPlain = true;

  get isPending(): boolean {
    return this.#firstAt !== null;
  }

  /** The time of the next look; Infinity if there was no output since the last one. */
  get dueAt(): number {
    if (this.#firstAt === null) return Infinity;
    if (!this.#isPlain) return Math.min(this.#lastAt + REST_MS, this.#firstAt + LOOK_EVERY_MS);
    const at = Math.min(this.#lastAt + PLAIN_REST_MS, this.#firstAt + PLAIN_LOOK_EVERY_MS);
    return Math.ceil(at / PLAIN_GRAIN_MS) * PLAIN_GRAIN_MS;
  }

  /** Notes output. `isWorking`: the session counts as working, and its screen does not contradict this. */
  output(bytes: Uint8Array, at: number, isWorking: boolean): void {
    this.#firstAt ??= at;
    this.#lastAt = at;
    this.#isPlain &&= isWorking && bytes.at(-1) === NEWLINE && !bytes.includes(ESC);
  }

  looked(): void {
    this.#firstAt = null;
    this.#isPlain = true;
  }
}
