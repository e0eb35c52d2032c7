/**
 * Writes a picture as bytes: tracks the terminal's cursor and pen, and writes only changes.
 *
 * It expects a terminal without margins, origin, insert or line feed mode, with autowrap, and ASCII in G0.
 */
import { isContested } from '@spool/vt';
import { type Attributes, Bg, isSameLook, PLAIN } from '../engine/attributes.ts';
import type { EngineLink, GridSize } from '../engine/engine.ts';
import { sgr } from './sgr.ts';

export class Pen {
  readonly #parts: string[] = [];
  readonly #size: GridSize;
  readonly #links: ReadonlyMap<number, EngineLink>;
  #look = PLAIN;
  #row = -1;
  #col = -1;

  constructor(size: GridSize, links: ReadonlyMap<number, EngineLink>) {
    this.#size = size;
    this.#links = links;
  }

  get text(): string {
    return this.#parts.join('');
  }

  get look(): Attributes {
    return this.#look;
  }

  get row(): number {
    return this.#row;
  }

  /** The column; NaN after a character on whose width terminals disagree: the next text is then positioned before it is printed. */
  get col(): number {
    return this.#col;
  }

  /** Writes any bytes; afterwards the position of the cursor is unknown. */
  raw(bytes: string): void {
    this.#parts.push(bytes);
    this.#row = -1;
  }

  /** Writes bytes that change neither the cursor nor the pen. */
  aside(bytes: string): void {
    this.#parts.push(bytes);
  }

  /** Sets the known attributes, after bytes that have changed the pen without this class. */
  assume(look: Attributes): void {
    this.#look = look;
  }

  moveTo(row: number, col: number): void {
    if (row === this.#row && col === this.#col) return;
    if (row === this.#row && col === 0) this.#parts.push('\r');
    else if (row === this.#row && col > this.#col)
      this.#parts.push(col === this.#col + 1 ? '\x1b[C' : `\x1b[${col - this.#col}C`);
    else if (row === this.#row + 1 && col === 0 && this.#row >= 0) this.#parts.push('\r\n');
    else this.jumpTo(row, col);
    this.#row = row;
    this.#col = col;
  }

  /** Moves like `moveTo`, but always with a sequence, which also prevents a following mark from joining the character before. */
  jumpTo(row: number, col: number): void {
    this.#parts.push(col === 0 ? (row === 0 ? '\x1b[H' : `\x1b[${row + 1}H`) : `\x1b[${row + 1};${col + 1}H`);
    this.#row = row;
    this.#col = col;
  }

  /** Moves to the next line, scrolling at the bottom. */
  newLine(): void {
    if (this.#row === this.#size.rows - 1) this.wear(PLAIN); // a line that scrolls in has the pen's background
    this.#parts.push('\r\n');
    this.#row = Math.min(this.#row + 1, this.#size.rows - 1);
    this.#col = 0;
  }

  /** Changes the pen. */
  wear(look: Attributes): void {
    if (isSameLook(this.#look, look)) return;
    const from = this.#look;
    if (from.link !== look.link) this.#parts.push(this.#openLink(look.link));
    const change = sgr(from, look);
    this.#parts.push(change);
    const wasProtected = !isReset(change) && (from.bg & Bg.protected) !== 0;
    const isProtected = (look.bg & Bg.protected) !== 0;
    if (wasProtected !== isProtected) this.#parts.push(`\x1b[${isProtected ? 1 : 0}"q`);
    this.#look = look;
  }

  /** Prints one cell's text; the cursor stays at the margin, as terminals do, until more is printed. */
  print(text: string, width: number): void {
    if (this.#col >= this.#size.cols || this.#col + width > this.#size.cols) {
      this.#row = Math.min(this.#row + 1, this.#size.rows - 1);
      this.#col = 0;
    }
    this.#parts.push(text);
    this.#col += width;
    if (isContested(text) && this.#col < this.#size.cols) this.#col = NaN;
  }

  /** Erases with the background of the pen, which must have no other attributes. */
  erase(cells: number): void {
    this.#parts.push(cells === 1 ? '\x1b[X' : `\x1b[${cells}X`);
  }

  eraseToEnd(): void {
    this.#parts.push('\x1b[K');
  }

  #openLink(link: number): string {
    const data = this.#links.get(link)?.data;
    if (link === 0 || data === undefined) return '\x1b]8;;\x1b\\';
    return `\x1b]8;${data.id === undefined ? '' : `id=${data.id}`};${data.uri}\x1b\\`;
  }
}

const isReset = (change: string): boolean => change === '\x1b[m' || change.startsWith('\x1b[0;');
