/** Hand-made screens, for tests. */
import type { ScreenView } from '../sources/screen-lines.ts';

/** Returns a view of a text; `█` is the cursor (default: the end of the last line). */
export function viewOf(text: string, more: Partial<ScreenView> = {}): ScreenView {
  const rows = text.replace(/^\n/, '').split('\n');
  const row = rows.findIndex((line) => line.includes('█'));
  const cursor =
    row === -1 ? { row: rows.length - 1, col: rows.at(-1)!.length } : { row, col: rows[row]!.indexOf('█') };
  const lines = rows.map((line) => line.replace('█', '').trimEnd());
  return { lines, cursor, isCursorVisible: true, isAlternate: false, title: '', ...more };
}
