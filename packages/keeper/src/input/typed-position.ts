/** Finds the end of typed text on a screen, and decides whether the text has left its input line. */

/** The number of characters of a prompt's end that are searched for on the screen. */
const TAIL_CHARACTERS = 20;

export interface TypedPosition {
  readonly textRow: number | null;
  readonly cursorRow: number;
  readonly rows: number;
}

/** Returns the end of a text, in the form in which it is searched for on a screen. */
export function tailOf(text: string): string {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  return last.replaceAll(/\s+/g, ' ').trim().slice(-TAIL_CHARACTERS);
}

export function locateTyped(tail: string, lines: readonly string[], cursorRow: number): TypedPosition {
  const row = tail === '' ? -1 : lines.findLastIndex((line) => line.replaceAll(/\s+/g, ' ').includes(tail));
  return { textRow: row === -1 ? null : row, cursorRow, rows: lines.length };
}

/**
 * Returns whether typed text has left the input line: it is no longer on the screen, or has moved up by more than the one line that
 * Enter adds; in a shell also if the cursor has moved further below it.
 */
export function isTaken(before: TypedPosition, after: TypedPosition | null, isAgent: boolean): boolean {
  if (before.textRow === null || !after) return false;
  if (after.textRow === null) return true;
  const fromBottom = (place: TypedPosition): number => place.rows - place.textRow!;
  if (fromBottom(after) - fromBottom(before) >= 2) return true;
  return !isAgent && after.cursorRow - after.textRow > before.cursorRow - before.textRow;
}
