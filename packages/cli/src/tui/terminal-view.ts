/**
 * A view on the whole terminal: its lines, its cursor and its keyboard. Draws again when something changes, when the terminal is
 * resized and when the process continues after a suspend, and restores the terminal at the end.
 */
import type { Size } from '@spool/protocol';
import { ansiLine, type ColourMode } from '@spool/render/ansi';
import type { Line } from '@spool/render/lines';
import type { DetachKey } from '@spool/vt';
import { flush, wantsColour, writeOut } from '../output/stdio.ts';
import { type DrawnFrame, FrameLoop, msUntilAgeChanges } from './frame-loop.ts';
import { Keyboard, type KeyboardListener } from './keyboard.ts';
import { SCREEN_BEGIN, SCREEN_END, ScreenLines } from './screen-lines.ts';
import { UserTerminal } from './terminal.ts';

export interface ViewPicture {
  /** The rows, from the top. Rows that are null belong to `paintRest`. */
  readonly lines: readonly (Line | null)[];
  /** Returns the bytes for the rows that are null. `isFresh`: these rows show nothing yet. */
  readonly paintRest?: (isFresh: boolean) => string;
  /** The position of the cursor; null hides it. */
  readonly cursor: { readonly row: number; readonly col: number } | null;
  /** The ages that are shown, which change with time. */
  readonly agesMs: readonly number[];
}

export interface TerminalViewOptions extends KeyboardListener {
  readonly detachKeys: readonly DetachKey[];
  /** Whether `take` gets reports of the mouse. Otherwise only the wheel arrives, as keys. */
  readonly hasMouse: boolean;
  draw(size: Size): ViewPicture;
}

/** The time limit of the last output, because a stalled terminal must not delay the user. */
const LEAVING_MS_MAX = 300;

export class TerminalView implements AsyncDisposable {
  readonly #options: TerminalViewOptions;
  readonly #terminal = new UserTerminal();
  readonly #lines = new ScreenLines();
  readonly #loop: FrameLoop;
  readonly #keyboard: Keyboard;
  #cursor = '';
  #isBegun = false;
  readonly colouring: ColourMode = wantsColour(1) ? 'colours' : 'weights';

  /** Reads keys from now on; draws after `begin`. */
  constructor(options: TerminalViewOptions) {
    this.#options = options;
    this.#loop = new FrameLoop(() => this.#draw());
    this.#terminal.undo = () => Buffer.from(SCREEN_END);
    this.#terminal.enter();
    this.#keyboard = new Keyboard(options.detachKeys, options);
    this.#keyboard.isWindowed = options.hasMouse;
  }

  get size(): Size {
    return this.#terminal.size();
  }

  /** Whether the terminal accepts output; false if it accepted nothing during the restore, and a message would hang. */
  get isTaking(): boolean {
    return this.#terminal.isTaking;
  }

  /** Shows the view, after `first`. */
  async begin(first?: Promise<unknown>): Promise<void> {
    const begin = (): void => {
      this.#isBegun = true;
      this.#lines.forget();
      void writeOut(SCREEN_BEGIN);
      this.changed();
    };
    this.#terminal.onContinue = () => void this.#terminal.outputReady.then(begin);
    this.#terminal.onResize = this.changed;
    await this.#terminal.outputReady;
    await first;
    begin();
  }

  readonly changed = (): void => {
    if (this.#isBegun) this.#loop.changed();
  };

  /** Draws everything again, because the content of the terminal is unknown. */
  redraw(): void {
    this.#lines.forget();
    this.changed();
  }

  /** Reads bytes that another reader has taken from the terminal before. */
  feed(bytes: Uint8Array): void {
    this.#keyboard.feed(bytes);
  }

  /** Restores the terminal. May be called twice. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#loop[Symbol.dispose]();
    await flush(1, LEAVING_MS_MAX);
    this.#keyboard[Symbol.dispose]();
    this.#terminal[Symbol.dispose]();
  }

  #draw(): DrawnFrame {
    const { size } = this;
    const { lines, paintRest, cursor, agesMs } = this.#options.draw(size);
    const rows = lines.map((line) => line && ansiLine(line, this.colouring));
    const painted = this.#lines.paint(rows, size, paintRest);
    const place = cursor === null ? '\x1b[?25l' : `\x1b[${cursor.row + 1};${cursor.col + 1}H\x1b[?25h`;
    const text = painted + (painted === '' && place === this.#cursor ? '' : place);
    this.#cursor = place;
    return { written: text === '' ? Promise.resolve() : writeOut(text), nextMs: msUntilAgeChanges(agesMs) };
  }
}
