/**
 * Shows a session whose size differs from the terminal: keeps a model of its screen and paints a window of it.
 *
 * The model follows the session at full speed. The terminal is painted at most sixty times a second, only after it has accepted the
 * previous frame, and always with the newest state. Therefore a slow terminal skips frames and delays nothing.
 *
 * It uses the alternate screen: nothing gets into the user's scrollback, and leaving it restores the previous content.
 */
import { ScreenModel } from '@spool/screen';
import type { Size } from '@spool/protocol';
import {
  cleanText,
  encodeMouse,
  type ModeState,
  type MouseReport,
  type PanKey,
  POP_TITLE,
  PUSH_TITLE,
  restore,
  SHOWN_TITLE_CHARACTERS_MAX,
  undo,
} from '@spool/vt';
import { type DrawnFrame, FrameLoop } from '../tui/frame-loop.ts';
import { ScreenWindow } from './screen-window.ts';
import { windowModes } from './window-modes.ts';
import { type Rectangle, WindowPainter } from './window-painter.ts';
import { statusText } from './window-status.ts';
import { windowText } from './window-text.ts';

const FRAME_MS = 16;
/** The time after which a synchronized update is painted although it has not ended. */
const UPDATE_MS_MAX = 150;
/** The number of rows below which a terminal has no room for a status line. */
const STATUS_ROWS_MIN = 4;
const WHEEL_ROWS = 3;
const WHEEL_COLS = 8;

export interface WindowViewOptions {
  /** The size of the session and of this terminal. */
  readonly session: Size;
  readonly own: Size;
  /** Whether keys go to the session. */
  readonly isTyping: boolean;
  /** Resolves when the terminal accepts more. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Returns another status line than that of an attached session; null if there is none at the moment. */
  readonly line?: (cols: number) => string | null;
}

export class WindowView {
  readonly #options: WindowViewOptions;
  readonly #window: ScreenWindow;
  #session: Size;
  #own: Size;
  #model: ScreenModel;
  #painter: WindowPainter;
  #modes: ModeState | null = null;
  #title = '';
  #status = '';
  #cursor = '';
  #state: 'quiet' | 'panning' | 'prefix' = 'quiet';
  #message: string | null = null;
  readonly #loop = new FrameLoop(() => this.#draw(), FRAME_MS);
  #updateSince: number | undefined;

  constructor(options: WindowViewOptions) {
    this.#options = options;
    this.#session = options.session;
    this.#own = options.own;
    this.#model = new ScreenModel(options.session, { scrollback: 0 });
    this.#window = new ScreenWindow(this.#session, this.#content);
    this.#painter = new WindowPainter(this.#content);
  }

  /** Replaces the model with the current screen. */
  snapshot(session: Size, bytes: Uint8Array): void {
    this.#model.dispose();
    this.#model = new ScreenModel(session, { scrollback: 0 });
    this.#model.write(bytes);
    this.fit(session, this.#own);
  }

  feed(bytes: Uint8Array): void {
    this.#model.write(bytes);
    this.#loop.changed();
  }

  /** Handles a resize of the session or the terminal. The model is approximate until the next snapshot. */
  fit(session: Size, own: Size): void {
    const isMoved = own.cols !== this.#own.cols || own.rows !== this.#own.rows;
    this.#session = session;
    this.#own = own;
    this.#model.resize(session.cols, session.rows);
    this.#layOut(isMoved);
  }

  /** Notes that the first detach key was pressed; an arrow may follow. */
  set isPrefixed(isPrefixed: boolean) {
    if (this.#state !== 'panning') this.#enter(isPrefixed ? 'prefix' : 'quiet');
  }

  pan(key: PanKey): void {
    if (key === 'leave') {
      this.follow();
      return this.#enter('quiet');
    }
    this.#enter('panning');
    this.#window.pan(key);
    this.#loop.changed();
  }

  /** Notes that the status line may have changed. */
  refresh(): void {
    this.#layOut(false);
  }

  /** Sets the message that is shown instead of the status line. */
  set message(message: string | null) {
    this.#message = message;
    this.#layOut(false);
  }

  /** Moves the window back to the cursor. */
  follow(): void {
    if (this.#window.isFollowing) return;
    this.#window.follow();
    this.#loop.changed();
  }

  /**
   * Returns the report for the session: moved to the session's own cell, or nothing. A program that does not use the mouse leaves
   * the wheel to the window.
   */
  mouse(report: MouseReport): Uint8Array | undefined {
    const { mouse, mouseEncodings } = this.#model.modes;
    if (!this.#options.isTyping || mouse === 0) {
      this.#turnWheel(report);
      return undefined;
    }
    const { top, left } = this.#window.place;
    const { rows, cols } = this.#content;
    const row = report.row + top;
    const col = report.col + left;
    const isInside = report.row < rows && report.col < cols && row < this.#session.rows && col < this.#session.cols;
    return isInside ? encodeMouse({ ...report, row, col }, mouseEncodings) : undefined;
  }

  /** Returns the content of the window as lines of text; empty for a full-screen program. */
  get text(): string {
    if (this.#model.isAlternate) return '';
    this.#window.follow();
    this.#window.see(this.#model.cursor);
    return windowText(this.#model, { ...this.#content, ...this.#window.place });
  }

  /** Stops painting. */
  stop(): void {
    this.#loop[Symbol.dispose]();
  }

  /** Stops painting, and returns the bytes that restore the terminal. */
  close(): Uint8Array {
    this.stop();
    if (this.#modes === null) return new Uint8Array(0);
    return Buffer.concat([Buffer.from('\x1b[?2026l'), undo(this.#modes), Buffer.from(LEAVE), POP_TITLE]);
  }

  /** The part of the terminal that shows the session, above the status line. */
  get #content(): Rectangle {
    const { cols, rows } = this.#own;
    return { top: 0, left: 0, cols, rows: this.#hasStatus ? rows - 1 : rows };
  }

  /** Whether the status line is shown. A terminal without a spare row shows it only while it is needed. */
  get #hasStatus(): boolean {
    if (this.#own.rows < STATUS_ROWS_MIN) return false;
    if (this.#message !== null) return true;
    const { line } = this.#options;
    if (line) return line(this.#own.cols) !== null;
    return this.#state !== 'quiet' || this.#own.rows !== this.#session.rows;
  }

  #enter(state: 'quiet' | 'panning' | 'prefix'): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#layOut(false);
  }

  #layOut(isMoved: boolean): void {
    const content = this.#content;
    this.#window.fit(this.#session, content);
    if (isMoved || content.rows !== this.#painter.target.rows) {
      this.#painter = new WindowPainter(content);
      this.#status = '';
    }
    this.#loop.changed();
  }

  #turnWheel({ button, isRelease }: MouseReport): void {
    if ((button & WHEEL) === 0 || isRelease) return;
    const isReattach = (button & 1) === 0;
    const isSideways = (button & 2) !== 0 || (button & SHIFT) !== 0;
    if (isSideways) this.#window.panBy(0, isReattach ? -WHEEL_COLS : WHEEL_COLS);
    else this.#window.panBy(isReattach ? -WHEEL_ROWS : WHEEL_ROWS, 0);
    this.#loop.changed();
  }

  #draw(): DrawnFrame {
    if (this.#isInUpdate()) return { written: Promise.resolve(), nextMs: FRAME_MS };
    const frame = this.#frame();
    return { written: frame === '' ? Promise.resolve() : this.#options.write(Buffer.from(frame)), nextMs: null };
  }

  /** Whether a synchronized update is under way, during which the screen is incomplete. */
  #isInUpdate(): boolean {
    const now = performance.now();
    if (!this.#model.modes.synchronized) this.#updateSince = undefined;
    else this.#updateSince ??= now;
    return this.#updateSince !== undefined && now - this.#updateSince <= UPDATE_MS_MAX;
  }

  #frame(): string {
    const { cursor, modes, isAlternate } = this.#model;
    // On the alternate screen a hidden cursor only shows where the last cell was drawn; otherwise it marks the activity.
    if (cursor.isVisible || !isAlternate) this.#window.see(cursor);
    const setting = this.#setModes(modes);
    const cells = this.#painter.paint(this.#model, this.#window.place);
    const status = this.#paintStatus();
    const placed = this.#placeCursor(cursor);
    if (setting === '' && cells === '' && status === '' && placed === this.#cursor) return '';
    this.#cursor = placed;
    return `${BEGIN}${setting}${cells}${status}${placed}${END}`;
  }

  #setModes(modes: ModeState): string {
    const wanted = windowModes(modes, this.#options.isTyping);
    const title = cleanText(modes.title, SHOWN_TITLE_CHARACTERS_MAX);
    const parts: string[] = [];
    if (this.#modes === null) parts.push(text(PUSH_TITLE), ENTER);
    if (this.#modes === null || !isSameModes(this.#modes, wanted)) {
      if (this.#modes !== null) parts.push(text(undo(this.#modes)));
      parts.push(text(restore(wanted)));
      this.#modes = wanted;
    }
    if (title !== this.#title) parts.push(`\x1b]2;${title}\x1b\\`);
    this.#title = title;
    return parts.join('');
  }

  #paintStatus(): string {
    if (!this.#hasStatus) return '';
    const { cols, rows } = this.#own;
    const shown = this.#content;
    const line =
      this.#message?.slice(0, cols) ??
      this.#options.line?.(cols) ??
      statusText({ session: this.#session, shown, place: this.#window.place, state: this.#state }, cols);
    if (line === this.#status) return '';
    this.#status = line;
    return `\x1b[${rows}H\x1b[K\x1b[2m${line}\x1b[m`;
  }

  #placeCursor({ row, col, isVisible }: ScreenModel['cursor']): string {
    const { top, left } = this.#window.place;
    const { rows, cols } = this.#content;
    const isInside = row >= top && row < top + rows && col >= left && col < left + cols;
    return isVisible && isInside ? `\x1b[${row - top + 1};${col - left + 1}H\x1b[?25h` : '\x1b[?25l';
  }
}

const WHEEL = 64;
const SHIFT = 4;

const BEGIN = '\x1b[?2026h\x1b[?25l';
const END = '\x1b[?2026l';
const ENTER = '\x1b[?1049h\x1b[H\x1b[2J';
const LEAVE = '\x1b[?25h\x1b[?1049l';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** The values are flags, numbers, texts and short lists of numbers. */
function isSameModes(one: ModeState, other: ModeState): boolean {
  return (Object.keys(one) as (keyof ModeState)[]).every((key) => String(one[key]) === String(other[key]));
}
