/**
 * Decides when to look at a session's screen: once output pauses, or at intervals while it does not.
 *
 * Finished lines of plain text are looked at less often, as long as the session counts as working: what asks something
 * leaves the cursor behind its question, or paints. 200 sessions that print 20 lines a second cost a fifth less this way
 * (decision 028).
 */

/** After a pause of this length, the screen is stable enough to look at. */
const REST_MS = 40;
/** Output that never pauses is looked at this often. */
const LOOK_EVERY_MS = 150;

const PLAIN_REST_MS = 200;
const PLAIN_LOOK_EVERY_MS = 500;
/** Plain sessions are looked at together, so that the thread wakes up rarely. */
const PLAIN_GRAIN_MS = 50;

const ESC = 0x1b;
const NEWLINE = 0x0a;

export class LookTimes {
  /** When output came first and last since the last look; null: there was none. */
  #firstAt: number | null = null;
  #lastAt = 0;
  #isPlain = true;

  get isPending(): boolean {
    return this.#firstAt !== null;
  }

  /** Infinity while nothing has come since the last look. */
  get dueAt(): number {
    if (this.#firstAt === null) return Infinity;
    if (!this.#isPlain) return Math.min(this.#lastAt + REST_MS, this.#firstAt + LOOK_EVERY_MS);
    const at = Math.min(this.#lastAt + PLAIN_REST_MS, this.#firstAt + PLAIN_LOOK_EVERY_MS);
    return Math.ceil(at / PLAIN_GRAIN_MS) * PLAIN_GRAIN_MS;
  }

  /** `isWorking`: the session counts as working, and nothing on its screen says otherwise. */
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
