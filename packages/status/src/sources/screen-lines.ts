/** The lines of a screen in the form in which rules read them. */
import { cellsOf } from '@spool/vt';

export const LINE_CHARACTERS_MAX = 500;

export interface ScreenView {
  /** Visible rows, top to bottom, trailing blanks cut. */
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly col: number };
  /** The text of the cursor's line in the rows above, if it is too long for one row. */
  readonly textAboveCursor?: string;
  readonly isCursorVisible: boolean;
  readonly isAlternate: boolean;
  readonly title: string;
  /** Returns the background of a cell, as a number for each colour. It reads the present terminal, so it is valid only now. */
  readonly backgroundAt?: (row: number, col: number) => number;
}

interface Rows {
  readonly textAboveCursor?: string;
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly col: number };
}

/**
 * Returns the text before the cursor, and restores blanks that were cut: a prompt ends with one. Columns are cells, of which wide
 * characters have two.
 */
export function textBeforeCursor({ textAboveCursor = '', lines, cursor }: Rows): string {
  return textAboveCursor.slice(-LINE_CHARACTERS_MAX) + textOnRow(lines[cursor.row] ?? '', cursor.col);
}

function textOnRow(row: string, col: number): string {
  const line = row.slice(0, LINE_CHARACTERS_MAX);
  let cells = 0;
  let length = 0;
  for (const character of line) {
    if (cells >= col) return line.slice(0, length);
    cells += cellsOf(character.codePointAt(0)!);
    length += character.length;
  }
  return line + ' '.repeat(Math.max(0, Math.min(col - cells, LINE_CHARACTERS_MAX)) || 0);
}

/** Returns a line without the frame of a box around it. */
export const withoutFrame = (line: string): string => line.replace(/^[\s│┃]+|[\s│┃█]+$/g, '');
