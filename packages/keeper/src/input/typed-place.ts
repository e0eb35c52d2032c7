/** Finds the end of typed text on a screen, and tells whether the text has left its input line. */

/** This much of a prompt's end is searched for on the screen. */
const TAIL_CHARACTERS = 20;

export interface Place {
  readonly textRow: number | null;
  readonly cursorRow: number;
  readonly rows: number;
}

/** The end of a text, in the form in which it is searched for on a screen. */
export function tailOf(text: string): string {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  return last.replaceAll(/\s+/g, ' ').trim().slice(-TAIL_CHARACTERS);
}

export function placeOf(tail: string, lines: readonly string[], cursorRow: number): Place {
  const row = tail === '' ? -1 : lines.findLastIndex((line) => line.replaceAll(/\s+/g, ' ').includes(tail));
  return { textRow: row === -1 ? null : row, cursorRow, rows: lines.length };
}

/**
 * Whether typed text has left the input line: it is gone from the screen, or has moved up by more than the one line
 * that Enter adds; in a shell also when the cursor has moved further below it.
 */
export function isTaken(before: Place, after: Place | null, isAgent: boolean): boolean {
  if (before.textRow === null || !after) return false;
  if (after.textRow === null) return true;
  const fromBottom = (place: Place): number => place.rows - place.textRow!;
  if (fromBottom(after) - fromBottom(before) >= 2) return true;
  return !isAgent && after.cursorRow - after.textRow > before.cursorRow - before.textRow;
}
