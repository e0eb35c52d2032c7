/**
 * Paints one line of cells so that every cell is the same afterwards, not only visually: whether a blank was erased or written
 * decides how the line is reflowed at the next change of size.
 */
import { type Attributes, attributesAt, isErased, isSameLook, PLAIN } from '../engine/attributes.ts';
import type { EngineCore, EngineLine } from '../engine/engine.ts';
import type { Pen } from './pen.ts';

/** The place of a line. */
export interface LineTarget {
  readonly row: number;
  /** The first blank cell; the cells before it were written while the cursor moved there. */
  readonly dirtyTo: number;
  /** Whether the pen waits at the end of the line above: the first character wraps into this one. */
  readonly isContinued: boolean;
}

export function paintLine(pen: Pen, core: EngineCore, line: EngineLine, canvas: LineTarget): void {
  const { cols } = core;
  const { row } = canvas;
  const filledTo = filledCells(line, cols);
  const looks = looksOf(line, Math.max(filledTo, canvas.dirtyTo));
  const dirtyTo = styleBlanks(pen, core, line, looks, row) ? Math.min(filledTo + 1, cols) : canvas.dirtyTo;
  if (dirtyTo > looks.length) looks.push(PLAIN);
  let isAfterText = false;
  for (let col = 0; col < looks.length;) {
    const look = looks[col]!;
    const glyph = glyphAt(core, line, col, cols);
    if (glyph === undefined) {
      const end = blanksEnd(core, line, looks, col);
      if (isErased(look)) eraseBlanks(pen, { row, col, end, cols, dirtyTo }, look);
      isAfterText = false;
      col = end;
      continue;
    }
    if (glyph.width === 0) pen.jumpTo(row, col);
    else if (col === 0 && canvas.isContinued) isAfterText = true;
    else if (!isAfterText || pen.col !== col) pen.moveTo(row, col);
    pen.wear(look);
    pen.print(glyph.text, Math.max(glyph.width, 1));
    isAfterText = true;
    col += Math.max(glyph.width, 1);
  }
}

/**
 * Moves from the end of a painted line into the next one in the way of wrapped text, so that the next line is marked as a
 * continuation. Returns the place, with the cells that this has written.
 */
export function wrapOnto(
  pen: Pen,
  core: EngineCore,
  line: EngineLine,
  next: EngineLine | undefined,
  row: number,
): LineTarget {
  const { cols, rows } = core;
  const last = cols - 1;
  const isScrolling = row === rows - 1;
  const nextRow = Math.min(row + 1, rows - 1);
  const first = next && glyphAt(core, next, 0, cols);
  const firstLook = next ? attributesAt(next, 0) : PLAIN;
  const canRunOn = next !== undefined && !hasDressedBlanks(core, next);
  const ending = endingAt(core, line, cols);
  let dirtyTo = 0;
  let isNatural = false;
  if (ending !== undefined) {
    if (pen.row !== row || pen.col !== cols) {
      pen.moveTo(row, ending);
      pen.wear(attributesAt(line, ending));
      pen.print(textAt(core, line, ending, cols), cols - ending);
    }
    isNatural = canRunOn && first !== undefined && first.width > 0;
    if (!isNatural) {
      if (isScrolling) pen.wear(PLAIN);
      pen.print(' ', 1);
      dirtyTo = 1;
    }
  } else {
    // The last cell is blank because a wide character did not fit; it has the attributes of that character.
    const look = attributesAt(line, last);
    pen.moveTo(row, last);
    pen.wear(look);
    isNatural = canRunOn && first?.width === 2 && isSameLook(firstLook, look);
    if (!isNatural) {
      pen.print(WIDE, 2);
      dirtyTo = 2;
    }
  }
  // A line that scrolls in has the background of the pen; if the first character wraps, that is its background.
  const background = isNatural ? (ending === undefined ? attributesAt(line, last) : firstLook) : pen.look;
  if (isScrolling && background.bg !== 0) dirtyTo = cols;
  return { row: nextRow, dirtyTo, isContinued: isNatural };
}

export interface Glyph {
  readonly text: string;
  /** The width; 0 for a mark alone in a cell. */
  readonly width: number;
}

/**
 * Returns the text to print into this cell; undefined for blanks, second halves, and halves of wide characters whose other half a
 * change of size has cut off (those cannot be printed at all: they become blanks).
 */
export function glyphAt(core: EngineCore, line: EngineLine, col: number, cols: number): Glyph | undefined {
  const text = line.getString(col);
  if (text === '') return undefined;
  const width = line.getWidth(col);
  if (core.unicodeService.wcwidth(text.codePointAt(0)!) !== width) return { text: ' ', width: 1 };
  if (width === 2 && (col + 1 >= cols || line.getWidth(col + 1) !== 0)) return undefined;
  return { text, width };
}

/** Returns the column of the character that fills the last cell. */
export function endingAt(core: EngineCore, line: EngineLine, cols: number): number | undefined {
  if (glyphAt(core, line, cols - 1, cols) !== undefined) return cols - 1;
  return cols > 1 && line.getWidth(cols - 1) === 0 && glyphAt(core, line, cols - 2, cols)?.width === 2
    ? cols - 2
    : undefined;
}

const textAt = (core: EngineCore, line: EngineLine, col: number, cols: number): string =>
  glyphAt(core, line, col, cols)?.text ?? ' ';

/** An ideographic space: two cells wide, and invisible. */
export const WIDE = '\u3000';

function looksOf(line: EngineLine, cells: number): Attributes[] {
  const looks: Attributes[] = [];
  for (let col = 0; col < cells; col++) looks.push(attributesAt(line, col));
  return looks;
}

/**
 * Returns the number of cells up to the last one that was ever written. Most of a screen is unwritten, and is not examined
 * further.
 */
export function filledCells({ _data }: EngineLine, cols: number): number {
  let cells = cols;
  while (cells > 0 && _data[3 * cells - 3] === UNTOUCHED && _data[3 * cells - 2] === 0 && _data[3 * cells - 1] === 0)
    cells--;
  return cells;
}

/** An empty cell, one cell wide. */
const UNTOUCHED = 1 << 22;

/**
 * Paints blanks that have more than a background. They remain when half of a wide character is overwritten, with the attributes of
 * the character that overwrote it, so they are created again in that way. Returns whether there were any such blanks.
 *
 * Painting such a blank damages the cell to its left; at the start of the line, the one to its right. Therefore they are painted
 * from right to left, and those at the start from left to right.
 */
function styleBlanks(pen: Pen, core: EngineCore, line: EngineLine, looks: readonly Attributes[], row: number): boolean {
  const isDressed = (col: number): boolean =>
    col < looks.length && !isErased(looks[col]!) && isBlank(core, line, col, core.cols);
  let leading = 0;
  while (isDressed(leading)) leading++;
  let isDirty = leading > 0;
  for (let col = looks.length - 1; col >= Math.max(leading, 1); col--) {
    if (!isDressed(col)) continue;
    isDirty = true;
    halve(pen, { row, col: col - 1, over: col - 1 }, looks[col]!);
  }
  for (let col = 0; col < Math.min(leading, core.cols - 1); col++) halve(pen, { row, col, over: col + 1 }, looks[col]!);
  return isDirty;
}

/** Prints a wide character, and a blank over one half of it. */
function halve(pen: Pen, { row, col, over }: { row: number; col: number; over: number }, look: Attributes): void {
  pen.moveTo(row, col);
  pen.print(WIDE, 2);
  pen.jumpTo(row, over);
  pen.wear(look);
  pen.print(' ', 1);
}

function hasDressedBlanks(core: EngineCore, line: EngineLine): boolean {
  for (let col = filledCells(line, core.cols) - 1; col >= 0; col--)
    if (isBlank(core, line, col, core.cols) && !isErased(attributesAt(line, col))) return true;
  return false;
}

/** Returns whether a cell is blank and not the second half of a painted character. */
function isBlank(core: EngineCore, line: EngineLine, col: number, cols: number): boolean {
  if (glyphAt(core, line, col, cols) !== undefined) return false;
  return col === 0 || line.getWidth(col) !== 0 || glyphAt(core, line, col - 1, cols)?.width !== 2;
}

function blanksEnd(core: EngineCore, line: EngineLine, looks: readonly Attributes[], from: number): number {
  let end = from + 1;
  while (
    end < looks.length &&
    isSameLook(looks[end]!, looks[from]!) &&
    glyphAt(core, line, end, core.cols) === undefined
  )
    end++;
  return end;
}

interface Blanks {
  readonly row: number;
  readonly col: number;
  readonly end: number;
  readonly cols: number;
  readonly dirtyTo: number;
}

function eraseBlanks(pen: Pen, { row, col, end, cols, dirtyTo }: Blanks, look: Attributes): void {
  const to = look.bg === 0 ? Math.min(end, dirtyTo) : end;
  if (to <= col) return;
  pen.moveTo(row, col);
  pen.wear(look);
  // In the first column, erasing to the end of the line would also make it a separate line.
  if (to === cols && col > 0) pen.eraseToEnd();
  else pen.erase(to - col);
}
