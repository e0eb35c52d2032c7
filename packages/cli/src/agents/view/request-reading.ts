/**
 * Tracks how much of the waiting request the user has read: the lines that were on the screen, the position of the view, and an
 * answer that waits for a second key because the request was not shown whole. Keeps SHOW-40.
 */
import { ASK_GUARD_MS } from './ask-guard.ts';
import type { AskChoice } from './ask-choices.ts';
import type { UnconfirmedChoice } from './ask-panel.ts';

/** The lines of a request that were in a picture. */
export interface SeenLines {
  readonly width: number;
  readonly from: number;
  readonly to: number;
  readonly total: number;
  /** The number of lines that describe the request; the others describe the options. */
  readonly mainLines: number;
}

export class RequestReading {
  readonly #seen = new Set<number>();
  #width = 0;
  #total = Infinity;
  #mainLines = Infinity;
  #unconfirmed: { readonly choice: AskChoice; readonly since: number } | null = null;
  /** The first line in the whole window; null while the request is in its panel. */
  #top: number | null = null;
  #pageRows = 1;

  /** Starts again, because another request waits. */
  restart(): void {
    this.#seen.clear();
    this.#total = Infinity;
    this.#mainLines = Infinity;
    this.#unconfirmed = null;
    this.#top = null;
  }

  get top(): number | null {
    return this.#top;
  }

  open(): void {
    this.#top = 0;
    this.#unconfirmed = null;
  }

  close(): void {
    this.#top = null;
  }

  move(lines: number): void {
    this.#top = Math.max(0, (this.#top ?? 0) + lines);
  }

  movePage(by: 1 | -1): void {
    // One line of the previous page stays, so that the user finds the place.
    this.move(by * Math.max(1, this.#pageRows - 1));
  }

  moveToEnd(): void {
    this.move(Number.isFinite(this.#total) ? this.#total : 0);
  }

  /** Notes that these lines were painted. Lines at another width are different lines. */
  painted({ width, from, to, total, mainLines }: SeenLines): void {
    if (width !== this.#width || total !== this.#total) this.#seen.clear();
    this.#width = width;
    this.#total = total;
    this.#mainLines = mainLines;
    this.#pageRows = Math.max(1, to - from);
    for (let at = from; at < to; at++) this.#seen.add(at);
    if (this.#top !== null) this.#top = from;
  }

  /** Returns the number of lines that an answer allows and that were not on the screen yet; Infinity before the first picture. */
  unseenOf({ isExplained }: AskChoice): number {
    const needed = isExplained ? this.#total : this.#mainLines;
    if (!Number.isFinite(needed)) return needed;
    let unseen = 0;
    for (let at = 0; at < needed; at++) if (!this.#seen.has(at)) unseen++;
    return unseen;
  }

  get unconfirmed(): UnconfirmedChoice | null {
    const held = this.#unconfirmed;
    return held && { choice: held.choice, unseen: this.unseenOf(held.choice) };
  }

  /** Holds an answer back until a second key, because it allows something that was not shown. */
  holdBack(choice: AskChoice, now: number): void {
    this.#unconfirmed = { choice, since: now };
  }

  release(): void {
    this.#unconfirmed = null;
  }

  /**
   * Returns the answer that the second key confirms. A repeated key confirms nothing, because its user has not read the question
   * yet.
   */
  confirmed(key: string, now: number): AskChoice | null {
    if (this.#unconfirmed === null || key !== 'Y') return null;
    return now - this.#unconfirmed.since < ASK_GUARD_MS ? null : this.#unconfirmed.choice;
  }
}
