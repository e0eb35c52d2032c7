/** Lines of the past as text to print, plain or with colours. */
import { lineAnsi, type ScreenLine, type SeenItem } from '@spool/screen';
import { shownLines } from './shown-lines.ts';

/** `newline`: of a terminal in raw mode, or of a file. */
export function historyText(items: readonly SeenItem[], hasColours: boolean, newline = '\n'): string {
  const now = Date.now();
  return items.map((item) => itemText(item, hasColours, newline, now)).join('');
}

function itemText(item: SeenItem, hasColours: boolean, newline: string, now: number): string {
  if (item.type === 'line') {
    const text = hasColours && item.rows ? wrappedAnsi(item.rows) : item.text;
    return item.isCut ? text : text + newline;
  }
  const lines = shownLines(item, now).map(({ text }) => text);
  // The heading, the rows, the end.
  if (hasColours && item.type === 'screen' && item.rows) lines.splice(1, item.lines.length, ...item.rows.map(lineAnsi));
  return lines.map((line) => line + newline).join('');
}

/** The rows of one line; all but the last are as wide as the terminal was. */
function wrappedAnsi(rows: readonly ScreenLine[]): string {
  if (rows.length === 1) return lineAnsi(rows[0]!);
  const widths = rows.map(({ runs }) => runs.reduce((sum, { cells }) => sum + cells, 0));
  const cols = Math.max(...widths);
  return rows.map((row, at) => lineAnsi(row) + (at < rows.length - 1 ? ' '.repeat(cols - widths[at]!) : '')).join('');
}
