/**
 * Paints a part of a session's screen into a rectangle of a terminal; after the first time, only changed cells.
 *
 * It generates everything that it writes: cell texts (`screenCells`), colours, web links, cursor movements. No byte of the
 * session's output passes through. The terminal must be without origin, insert and autowrap mode and with a plain pen. Afterwards
 * the pen is plain; the caller places the cursor.
 */
import { Bg, BLANK_CELL, PLAIN, type ScreenCell, screenCells, type ScreenModel, sgr } from '@spool/screen';
import { isContested, shownLink } from '@spool/vt';
import type { WindowPosition } from './screen-window.ts';

/** The position on the terminal, from 0. */
export interface Rectangle {
  readonly top: number;
  readonly left: number;
  readonly rows: number;
  readonly cols: number;
}

/** The number of blanks from which on they are erased with a sequence; fewer are written. */
const ERASE_CELLS_MIN = 6;

export class WindowPainter {
  readonly #target: Rectangle;
  /** The content of the terminal; undefined where it is unknown. */
  #shown: (readonly ScreenCell[] | undefined)[];
  #parts: string[] = [];
  #look = PLAIN;
  #link = '';
  #row = -1;
  #col = -1;

  constructor(target: Rectangle) {
    this.#target = target;
    this.#shown = Array.from({ length: target.rows });
  }

  get target(): Rectangle {
    return this.#target;
  }

  /** Notes that the rectangle was overwritten, so the next paint is complete. */
  forget(): void {
    this.#shown = Array.from({ length: this.#target.rows });
  }

  /** Returns the bytes that make the rectangle show the model from `place`; empty if it already does. */
  paint(model: ScreenModel, place: WindowPosition): string {
    for (let row = 0; row < this.#target.rows; row++) this.#paintRow(row, this.#cellsOf(model, row, place));
    return this.#end();
  }

  #cellsOf(model: ScreenModel, row: number, { top, left }: WindowPosition): ScreenCell[] {
    const { cols } = this.#target;
    const { size } = model;
    const below = top + row - size.rows;
    const inside = Math.min(cols, size.cols - left);
    const cells =
      below < 0
        ? screenCells(model, top + row, left, left + cols)
        : Array.from({ length: inside }, () => (below === 0 ? BOTTOM : BLANK_CELL));
    if (inside < cols && below <= 0) cells.push(below === 0 ? CORNER : RIGHT);
    while (cells.length < cols) cells.push(BLANK_CELL);
    return cells;
  }

  #paintRow(row: number, cells: readonly ScreenCell[]): void {
    const shown = this.#shown[row];
    this.#shown[row] = cells;
    let isDoubtful = false;
    for (let col = 0; col < cells.length;) {
      const cell = cells[col]!;
      const width = Math.max(1, cell.width);
      if (!isDoubtful && shown !== undefined && isSameCell(shown[col]!, cell)) {
        col += width;
        continue;
      }
      const blanks = isPlainBlank(cell) ? this.#blanks(cells, shown, col) : 0;
      if (blanks >= ERASE_CELLS_MIN) {
        this.#moveTo(row, col);
        this.#wear(BLANK_CELL);
        this.#parts.push(`\x1b[${blanks}X`);
        col += blanks;
        isDoubtful = false;
        continue;
      }
      isDoubtful = this.#print(row, col, cell);
      col += width;
    }
  }

  /** Returns the number of blanks to erase from here, including cells that are already blank. */
  #blanks(cells: readonly ScreenCell[], shown: readonly ScreenCell[] | undefined, from: number): number {
    let to = from;
    let last = from;
    for (; to < cells.length && isPlainBlank(cells[to]!); to++)
      if (shown === undefined || !isSameCell(shown[to]!, cells[to]!)) last = to;
    return last - from + 1;
  }

  /** Prints a cell. Returns true if terminals disagree on the width of this character, so that it may overwrite the next cell. */
  #print(row: number, col: number, cell: ScreenCell): boolean {
    this.#moveTo(row, col);
    this.#wear(cell);
    const isInDoubt = isContested(cell.text);
    if (isInDoubt) {
      // The cells that it may cover are blanked first, and the cursor is positioned after it.
      this.#parts.push(' '.repeat(cell.width));
      this.#col = -1;
      this.#moveTo(row, col);
    }
    this.#parts.push(cell.text);
    this.#col += cell.width;
    if (isInDoubt || this.#col >= this.#target.cols) this.#col = -1;
    return isInDoubt;
  }

  #moveTo(row: number, col: number): void {
    if (row === this.#row && col === this.#col) return;
    const step = col - this.#col;
    if (row === this.#row && this.#col >= 0 && step > 0) this.#parts.push(step === 1 ? '\x1b[C' : `\x1b[${step}C`);
    else this.#parts.push(`\x1b[${this.#target.top + row + 1};${this.#target.left + col + 1}H`);
    this.#row = row;
    this.#col = col;
  }

  #wear({ look, link }: Pick<ScreenCell, 'look' | 'link'>): void {
    const address = link === '' ? '' : (shownLink(link) ?? '');
    if (address !== this.#link) this.#parts.push(`\x1b]8;;${address}\x1b\\`);
    this.#link = address;
    if (look === this.#look) return;
    this.#parts.push(sgr(this.#look, look));
    this.#look = look;
  }

  #end(): string {
    if (this.#parts.length === 0) return '';
    this.#wear(BLANK_CELL);
    const text = this.#parts.join('');
    this.#parts = [];
    this.#row = -1;
    this.#col = -1;
    return text;
  }
}

/** Draws a dim border where a session's screen ends inside the rectangle. */
const DIM = { ...PLAIN, bg: Bg.dim };
const RIGHT: ScreenCell = { text: '│', width: 1, look: DIM, link: '' };
const BOTTOM: ScreenCell = { text: '─', width: 1, look: DIM, link: '' };
const CORNER: ScreenCell = { text: '┘', width: 1, look: DIM, link: '' };

const isPlainBlank = ({ text, look, link }: ScreenCell): boolean => text === ' ' && look === PLAIN && link === '';

/** Compares links by address, because their numbers are local to one model. */
function isSameCell(one: ScreenCell, other: ScreenCell): boolean {
  if (one === other) return true;
  if (one.text !== other.text || one.width !== other.width || one.link !== other.link) return false;
  const { look } = one;
  const { look: wanted } = other;
  return (
    look === wanted ||
    (look.fg === wanted.fg &&
      look.bg === wanted.bg &&
      look.underline === wanted.underline &&
      look.underlineColour === wanted.underlineColour)
  );
}
