/**
 * Chooses the part of a session's screen that a smaller viewer shows.
 *
 * The window follows the cursor and moves only when the cursor gets too close to its edge. After the user has panned, it stays
 * until `follow` is called.
 */
import type { Size } from '@spool/protocol';
import type { PanKey } from '@spool/vt';

export interface WindowPosition {
  readonly top: number;
  readonly left: number;
}

/** The distance of the cursor from an edge at which the window moves (at most a quarter of a small window). */
const MARGIN_ROWS_MAX = 2;
const MARGIN_COLS_MAX = 8;
const PAN_COLS = 8;

export class ScreenWindow {
  #session: Size;
  #view: Size;
  #top = 0;
  #left = 0;
  #isFollowing = true;

  constructor(session: Size, view: Size) {
    this.#session = session;
    this.#view = view;
  }

  get place(): WindowPosition {
    return { top: this.#top, left: this.#left };
  }

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Adjusts the window after a change of one of the sizes. */
  fit(session: Size, view: Size): void {
    this.#session = session;
    this.#view = view;
    this.#moveTo(this.#top, this.#left);
  }

  /** Takes the position of the cursor; the window follows if the user has not panned. */
  see({ row, col }: { readonly row: number; readonly col: number }): void {
    if (!this.#isFollowing) return;
    const { rows, cols } = this.#view;
    const marginRows = Math.min(MARGIN_ROWS_MAX, (rows - 1) >> 2);
    const marginCols = Math.min(MARGIN_COLS_MAX, (cols - 1) >> 2);
    let top = Math.min(this.#top, row - marginRows);
    top = Math.max(top, row + marginRows - rows + 1);
    let left = this.#left;
    // If the cursor returns to the left, the beginnings of lines are shown again, provided that the cursor stays visible.
    if (col < left + marginCols) left = col + marginCols < cols ? 0 : col - marginCols;
    left = Math.max(left, col + marginCols - cols + 1);
    this.#moveTo(top, left);
  }

  pan(key: Exclude<PanKey, 'leave'>): void {
    const { rows } = this.#view;
    const page = Math.max(1, rows - 1);
    switch (key) {
      case 'up':
        return this.panBy(-1, 0);
      case 'down':
        return this.panBy(1, 0);
      case 'left':
        return this.panBy(0, -PAN_COLS);
      case 'right':
        return this.panBy(0, PAN_COLS);
      case 'page-up':
        return this.panBy(-page, 0);
      case 'page-down':
        return this.panBy(page, 0);
      case 'home':
        return this.panBy(0, -this.#session.cols);
      case 'end':
        return this.panBy(0, this.#session.cols);
    }
  }

  panBy(rows: number, cols: number): void {
    this.#isFollowing = false;
    this.#moveTo(this.#top + rows, this.#left + cols);
  }

  /** Returns to the cursor at the next `see`. */
  follow(): void {
    this.#isFollowing = true;
  }

  #moveTo(top: number, left: number): void {
    this.#top = clamp(top, this.#session.rows - this.#view.rows);
    this.#left = clamp(left, this.#session.cols - this.#view.cols);
  }
}

const clamp = (value: number, most: number): number => Math.max(0, Math.min(value, most));
