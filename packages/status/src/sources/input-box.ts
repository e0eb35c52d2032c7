/**
 * Finds the input box of a program: the rows in which a draft is written, with the border above and below.
 *
 * A draft may have many rows, and the cursor may be on any of them. Therefore the box is searched for upwards from the cursor. If
 * the cursor is elsewhere (some programs hide it and draw their own), the lowest box in the region counts.
 */
import type { InputRule } from './input-line.ts';
import { LINE_CHARACTERS_MAX } from './screen-lines.ts';

/** Rows of the screen. `top` and `bottom` include the border, if there is one. */
export interface InputBox {
  readonly top: number;
  readonly first: number;
  readonly last: number;
  readonly bottom: number;
}

interface BoxRows {
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number };
}

/** The maximum height of a box. */
const INPUT_ROWS_MAX = 40;

export function inputBox(rule: InputRule, { lines, cursor }: BoxRows): InputBox | null {
  const above = aboveCursor(rule, lines, cursor.row);
  const first = above ?? (rule.region.place === 'cursor' ? null : lowest(rule, lines));
  if (first === null) return null;
  let last = above === null ? first : Math.min(cursor.row, lines.length - 1); // blank rows of a draft are part of the box
  const end = Math.min(lines.length, first + INPUT_ROWS_MAX);
  while (last + 1 < end && !isEnd(rule, lines[last + 1]!)) last++;
  const hasBorder = rule.until !== null && last + 1 < lines.length && rule.until.test(cut(lines[last + 1]!));
  return { top: rule.after === null ? first : first - 1, first, last, bottom: hasBorder ? last + 1 : last };
}

/** Finds the box around the cursor. */
function aboveCursor(rule: InputRule, lines: readonly string[], cursorRow: number): number | null {
  for (let row = cursorRow; row >= Math.max(0, cursorRow - INPUT_ROWS_MAX); row--) {
    const line = cut(lines[row] ?? '');
    if (isFirst(rule, lines, row)) return row;
    if (rule.until?.test(line) || !CONTINUES.test(line)) return null;
  }
  return null;
}

/** Finds the lowest matching line of the region: lower lines are newer. */
function lowest(rule: InputRule, lines: readonly string[]): number | null {
  let left = rule.region.place === 'bottom' ? rule.region.lines : Infinity;
  for (let row = lines.length - 1; row >= 0 && left > 0; row--) {
    if (lines[row]!.trim() === '') continue;
    left--;
    if (isFirst(rule, lines, row)) return row;
  }
  return null;
}

function isFirst({ pattern, after }: InputRule, lines: readonly string[], row: number): boolean {
  if (!pattern.test(cut(lines[row] ?? ''))) return false;
  return after === null || (row > 0 && after.test(cut(lines[row - 1] ?? '')));
}

const isEnd = ({ until }: InputRule, line: string): boolean =>
  until === null ? line.trim() === '' : until.test(cut(line));

const cut = (line: string): string => line.slice(0, LINE_CHARACTERS_MAX);
/** Matches rows of a draft below the first: they are indented, framed or blank. */
const CONTINUES = /^(?:\s|[│┃|]|$)/;
