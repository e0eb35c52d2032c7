/** The lines of a screen, as rules see them. */
import { cellsOf } from '@spool/vt';

export const LINE_CHARACTERS_MAX = 500;

export interface ScreenView {
  /** Visible rows, top to bottom, trailing blanks cut. */
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly col: number };
  readonly isCursorVisible: boolean;
  readonly isAlternate: boolean;
  readonly title: string;
  /** What is behind a cell, as a number for each colour. Only now: it reads the terminal as it is. */
  readonly backgroundAt?: (row: number, col: number) => number;
}

interface Rows {
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly col: number };
}

/** Restores blanks that were cut: a prompt ends with one. Columns are cells, of which wide characters have two. */
export function textBeforeCursor({ lines, cursor }: Rows): string {
  const line = (lines[cursor.row] ?? '').slice(0, LINE_CHARACTERS_MAX);
  let cells = 0;
  let length = 0;
  for (const character of line) {
    if (cells >= cursor.col) return line.slice(0, length);
    cells += cellsOf(character.codePointAt(0)!);
    length += character.length;
  }
  return line + ' '.repeat(Math.max(0, Math.min(cursor.col - cells, LINE_CHARACTERS_MAX)) || 0);
}

/** A line without the frame of a box around it. */
export const withoutFrame = (line: string): string => line.replace(/^[\s│┃]+|[\s│┃█]+$/g, '');
