/**
 * Detects when a session shows something new, for `wait --until output`. Keeps STATE-5: output without a visible effect (a title, a
 * cursor that moves, a program that repaints the same content) does not end a wait.
 *
 * The screen thread is asked only while a client waits: for the picture at the beginning of the wait, and for the present one
 * when the log has grown.
 */
import type { AnswerTo, ScreenAsk } from '../screens/messages.ts';

/** The interval of looks at a program that writes without a visible effect. */
const LOOK_EVERY_MS = 50;

export type AskScreen = <Ask extends ScreenAsk>(what: Ask) => Promise<AnswerTo<Ask>>;

interface TextPicture {
  readonly offset: number;
  readonly text: string;
  /** The number of lines that have left the screen; null if they were not counted. */
  readonly scrolled: number | null;
}

export class ShownOutput {
  readonly #ask: AskScreen;
  readonly #after: number;
  readonly #onShown: () => void;
  readonly #before: Promise<TextPicture>;
  #end: number;
  #isLooking = false;
  #isOver = false;

  /** Calls back once, when something was shown after the offset `after`. `end` is the present end of the log. */
  constructor(ask: AskScreen, after: number, end: number, onShown: () => void) {
    this.#ask = ask;
    this.#after = after;
    this.#end = end;
    this.#onShown = onShown;
    this.#before = this.#pictureBefore();
    this.#before.catch(() => {}); // handled by the code that awaits it
    if (end > after) void this.#look();
  }

  grown(end: number): void {
    this.#end = end;
    if (!this.#isLooking && !this.#isOver && end > this.#after) void this.#look();
  }

  close(): void {
    this.#isOver = true;
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    for (let seen = this.#after; !this.#isOver && seen < this.#end;) {
      const next = await this.#shownAfter(seen);
      if (next === 'shown') this.#tell();
      else await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref());
      if (next !== 'shown') seen = next;
    }
    this.#isLooking = false;
  }

  /** Returns `shown`, or the offset up to which nothing visible has changed. */
  async #shownAfter(seen: number): Promise<'shown' | number> {
    try {
      const before = await this.#before;
      const now = await this.#present();
      if (now.offset <= seen) return seen; // the thread has not read further yet
      const hasScrolled = before.scrolled !== null && before.scrolled !== now.scrolled;
      return now.text !== before.text || hasScrolled ? 'shown' : now.offset;
    } catch {
      return 'shown'; // the screen is unknown, and ending the wait too early is better than never
    }
  }

  #tell(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onShown();
  }

  async #pictureBefore(): Promise<TextPicture> {
    const present = await this.#present();
    if (present.offset <= this.#after) return present;
    const at = { offset: this.#after };
    const past = await this.#ask({ type: 'screen', at, format: 'ansi', historyLines: 0 });
    return { offset: past.offset, text: past.content, scrolled: null };
  }

  async #present(): Promise<TextPicture> {
    return await this.#ask({ type: 'shown', historyLines: 0 });
  }
}
