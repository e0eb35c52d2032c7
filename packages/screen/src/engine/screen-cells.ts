/**
 * Reads a part of the screen, cell by cell, for painting elsewhere: on a terminal of another size, or in a pane. Helps to keep
 * SIZE-6.
 *
 * The result is safe to print: no control characters, no characters that reorder text, no mark without a letter. Characters that
 * are cut in half at the edge of the part become blanks. If it is printed from left to right, each cell stays in its place.
 */
import { isUnfit } from '@spool/vt';
import { type Attributes, attributesAt, PLAIN } from './attributes.ts';
import type { EngineCore, EngineLine } from './engine.ts';
import { glyphAt } from '../snapshot/paint-line.ts';
import type { ScreenModel } from './screen-model.ts';

export interface ScreenCell {
  /** The text: a blank is a space; the second half of a wide character is empty. */
  readonly text: string;
  /** The number of cells that the text takes: 0 for the second half of a wide character. */
  readonly width: 0 | 1 | 2;
  readonly look: Attributes;
  /** The address of the hyperlink, as the program gave it; empty for none. */
  readonly link: string;
}

export const BLANK_CELL: ScreenCell = Object.freeze({ text: ' ', width: 1, look: PLAIN, link: '' });

/** The limit of one cell: a letter with more marks is cut; real scripts need three or four. */
const TEXT_UNITS_MAX = 32;

/** Returns the cells of one row, up to but not including `to`. Cells beyond the screen are left out. */
export function screenCells({ engine: { core } }: ScreenModel, row: number, from: number, to: number): ScreenCell[] {
  const { active } = core.buffers;
  const line = row >= 0 && row < core.rows ? active.lines.get(active.ybase + row) : undefined;
  if (line === undefined) return [];
  const end = Math.min(to, core.cols);
  const cells: ScreenCell[] = [];
  for (let col = from; col < end;) {
    const cell = cellAt(core, line, col, end);
    cells.push(cell);
    if (cell.width === 2) cells.push({ ...cell, text: '', width: 0 });
    col += Math.max(1, cell.width);
  }
  return cells;
}

function cellAt(core: EngineCore, line: EngineLine, col: number, end: number): ScreenCell {
  const glyph = glyphAt(core, line, col, core.cols);
  const look = attributesAt(line, col);
  const isWhole = glyph !== undefined && glyph.width > 0 && col + glyph.width <= end;
  const text = isWhole ? printable(glyph.text) : ' ';
  if (text === ' ') return blankWith(core, look);
  return { text, width: glyph?.width === 2 ? 2 : 1, look, link: linkOf(core, look) };
}

const blankWith = (core: EngineCore, look: Attributes): ScreenCell =>
  look === PLAIN ? BLANK_CELL : { text: ' ', width: 1, look, link: linkOf(core, look) };

const linkOf = (core: EngineCore, { link }: Attributes): string =>
  link === 0 ? '' : (core._oscLinkService._dataByLinkId.get(link)?.data.uri ?? '');

function printable(text: string): string {
  if (text.length === 1) return isUnfit(text.charCodeAt(0)) ? ' ' : text;
  if (text === '') return ' ';
  let kept = '';
  for (const character of text) {
    if (isUnfit(character.codePointAt(0)!)) continue;
    if (kept.length + character.length > TEXT_UNITS_MAX) break;
    kept += character;
  }
  return kept === '' ? ' ' : kept;
}
