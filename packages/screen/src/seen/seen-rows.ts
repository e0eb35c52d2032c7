/** Reads the rows of the normal screen and above it, and the lines of text that they form: a line may wrap over several rows. */
import type { EngineBuffer, EngineCore, EngineLine } from '../engine/engine.ts';
import { plainText } from '../engine/plain-text.ts';
import type { ScreenModel } from '../engine/screen-model.ts';
import { type ScreenLine, screenLine } from '../snapshot/screen-line.ts';

export class SeenRows {
  readonly #core: EngineCore;
  readonly #onDropped: (count: number) => void;
  #known: EngineBuffer | undefined;

  /** `onDropped` is called when the oldest rows are gone, so that the others have moved up by as many. */
  constructor(model: ScreenModel, onDropped: (count: number) => void) {
    this.#core = model.engine.core;
    this.#onDropped = onDropped;
    this.check();
  }

  /** Must be called after writing: a terminal that was reset has new rows. */
  check(): void {
    const buffer = this.#buffer;
    if (buffer === this.#known) return;
    if (this.#known !== undefined) this.#onDropped(Infinity);
    this.#known = buffer;
    buffer.lines.onTrim((count) => {
      if (buffer === this.#known) this.#onDropped(count);
    });
  }

  /** The number of rows above the screen. */
  get above(): number {
    return this.#buffer.ybase;
  }

  get count(): number {
    return this.#buffer.lines.length;
  }

  get cursor(): number {
    return this.#buffer.ybase + this.#buffer.y;
  }

  /**
   * Returns whether plain lines that are printed now scroll up one by one: the cursor is at the start of an empty last row, and no
   * mode, margin, tab stop or character set of the program changes the effect of printing.
   */
  get isPlain(): boolean {
    const { cols, rows, buffers, coreService, optionsService, _charsetService } = this.#core;
    const { x, y, scrollTop, scrollBottom, tabs } = buffers.normal;
    if (buffers.active !== buffers.normal || x !== 0 || y !== rows - 1) return false;
    if (scrollTop !== 0 || scrollBottom !== rows - 1) return false;
    const { origin, wraparound } = coreService.decPrivateModes;
    if (origin || !wraparound || coreService.modes.insertMode || optionsService.rawOptions.convertEol) return false;
    if (_charsetService.charset !== undefined) return false;
    for (let col = 0; col < cols; col++) if ((tabs[col] ?? false) !== (col % 8 === 0)) return false;
    return !this.isContinued(this.cursor) && this.text(this.cursor) === '';
  }

  /** Returns whether the row continues the one before. */
  isContinued(row: number): boolean {
    return this.#line(row)?.isWrapped ?? false;
  }

  /** Returns the first row of the line that this row is part of. */
  startOf(row: number): number {
    let start = row;
    while (start > 0 && this.isContinued(start)) start--;
    return start;
  }

  /** Returns the row after the line that begins here, but not beyond `limit`. */
  endOf(row: number, limit: number): number {
    let end = row + 1;
    while (end < limit && this.isContinued(end)) end++;
    return end;
  }

  text(row: number): string {
    const line = this.#line(row);
    return line === undefined ? '' : plainText(line, this.#core.cols);
  }

  /** Returns the text of several rows of one line. */
  lineText(from: number, to: number): string {
    let text = '';
    for (let row = from; row < to - 1; row++) text += this.#wholeText(row);
    return text + this.text(to - 1);
  }

  styled(from: number, to: number): ScreenLine[] {
    const found: ScreenLine[] = [];
    for (let row = from; row < to; row++) {
      const line = this.#line(row);
      if (line !== undefined) found.push(screenLine(this.#core, line));
    }
    return found;
  }

  /** Returns the row after the last one with text. */
  get end(): number {
    let end = this.count;
    while (end > 0 && this.text(end - 1).trim() === '') end--;
    return end;
  }

  /** Returns the text of a full row, with its blanks; without the cell that a wide character has left empty at the margin. */
  #wholeText(row: number): string {
    const line = this.#line(row)!;
    const text = line.translateToString(false, 0, this.#core.cols);
    const isLeftEmpty = line.getString(this.#core.cols - 1) === '' && this.#line(row + 1)?.getWidth(0) === 2;
    return isLeftEmpty && line.getWidth(this.#core.cols - 1) === 1 ? text.slice(0, -1) : text;
  }

  #line(row: number): EngineLine | undefined {
    return this.#buffer.lines.get(row);
  }

  get #buffer(): EngineBuffer {
    return this.#core.buffers.normal;
  }
}
