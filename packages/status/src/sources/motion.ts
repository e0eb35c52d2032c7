/**
 * Detects motion on a screen outside of the input box, where typing is echoed.
 *
 * Programs whose input box is always visible show their work by motion: a spinner, a timer, text. Therefore the box alone does not
 * mean idle. Lines above the box are compared from the box upwards, because a draft that grows moves them. Below the box, a clock
 * or a counter in a status bar may change at any time, so only faster changes count as motion.
 */
import type { InputBox } from './input-box.ts';
import type { ScreenView } from './screen-lines.ts';

/** The interval of a status bar, which changes once per second at most; spinners turn faster. */
const TICK_MS = 800;
/**
 * The time in which three changes count as motion, so that a timer that counts seconds is detected; one or two may be a notice, a
 * resize or a half-drawn screen. Soon after a key, which may have started work, two changes are enough.
 */
const MOVING_MS = 3500;
const STARTED_MS = 2500;
const MOVES = 3;
/** The time after a key in which the draft grows, and the program shows other hints. */
const ECHO_MS = 400;
const NEVER = Number.NEGATIVE_INFINITY;

export class Motion {
  #changedAt = 0;
  /** The last changes, the latest first. */
  #moves: readonly number[] = [];
  #changes = 0;
  #footerAt = NEVER;

  /** The last change outside of the input box; without a box, outside of the cursor's line. */
  get changedAt(): number {
    return this.#changedAt;
  }

  /** The number of changes above the box, including those soon after a key. */
  get changes(): number {
    return this.#changes;
  }

  /** Returns whether the screen changes repeatedly. */
  isMoving(now: number, typedAt: number): boolean {
    const isStarted = now - typedAt <= STARTED_MS && (this.#moves[1] ?? NEVER) > typedAt;
    return isStarted || now - (this.#moves[MOVES - 1] ?? NEVER) <= MOVING_MS;
  }

  began(at: number): void {
    this.#changedAt = at;
  }

  /**
   * Forgets earlier changes: the screen was unchanged for a while, so the last frames of earlier work say nothing about the next
   * changes.
   */
  rested(): void {
    this.#moves = [];
    this.#footerAt = NEVER;
  }

  compare(one: MotionFrame, other: MotionFrame, at: number, typedAt: number): void {
    if (one.box === null || other.box === null || hasChangedAbove(one, one.box, other, other.box)) this.#changes++;
    if (!this.#hasMoved(one, other, at, typedAt)) return;
    this.#changedAt = at;
    // Without a box the echo may be anywhere: Gemini for screen readers prints its whole screen again at each key.
    if (at - typedAt > ECHO_MS) this.#moves = [at, ...this.#moves.slice(0, MOVES - 1)];
  }

  #hasMoved(one: MotionFrame, other: MotionFrame, at: number, typedAt: number): boolean {
    if (one.box === null || other.box === null) return hasChangedElsewhere(one.view, other.view);
    if (at - typedAt <= ECHO_MS) return false;
    if (hasChangedAbove(one, one.box, other, other.box)) return true;
    if (!hasChangedBelow(one, one.box, other, other.box)) return false;
    const isFast = at - this.#footerAt <= TICK_MS;
    this.#footerAt = at;
    return isFast;
  }
}

export interface MotionFrame {
  readonly view: ScreenView;
  readonly box: InputBox | null;
}

function hasChangedAbove(one: MotionFrame, oneBox: InputBox, other: MotionFrame, otherBox: InputBox): boolean {
  const rows = Math.min(oneBox.top, otherBox.top);
  for (let above = 1; above <= rows; above++)
    if (!isAlike(one.view.lines[oneBox.top - above]!, other.view.lines[otherBox.top - above]!)) return true;
  return false;
}

function hasChangedBelow(one: MotionFrame, oneBox: InputBox, other: MotionFrame, otherBox: InputBox): boolean {
  const [before, after] = [one.view.lines.slice(oneBox.bottom + 1), other.view.lines.slice(otherBox.bottom + 1)];
  return before.length !== after.length || before.some((line, at) => line !== after[at]);
}

/** Compares two lines without pictures made of blocks: Claude's mascot moves while Claude waits for its first prompt. */
const isAlike = (one: string, other: string): boolean =>
  one === other || ((BLOCKS.test(one) || BLOCKS.test(other)) && withoutPicture(one) === withoutPicture(other));

const withoutPicture = (line: string): string => line.replaceAll(/[\u2580-\u259f·~\s]+/g, '');
const BLOCKS = /[▀▄█▌▐▖-▟]/;

const hasChangedElsewhere = (one: ScreenView, other: ScreenView): boolean =>
  one.isAlternate !== other.isAlternate ||
  one.lines.length !== other.lines.length ||
  one.lines.some((line, row) => line !== other.lines[row] && row !== other.cursor.row);
