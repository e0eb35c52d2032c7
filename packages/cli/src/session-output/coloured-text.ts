/** Formats a line with its colours: colours and other attributes only, so that it is safe on any terminal. Keeps PAST-41. */
import { lineAnsi } from '@spool/screen';
import type { ShownLine } from './line-filter.ts';

/** Returns the line with its colours, if they are known. */
export function colouredText({ text, rows }: Pick<ShownLine, 'text' | 'rows'>): string {
  if (rows === undefined || rows.length === 0) return text;
  // All rows but the last are as wide as the terminal was.
  const widths = rows.map(({ runs }) => runs.reduce((sum, { cells }) => sum + cells, 0));
  const cols = Math.max(...widths);
  return rows.map((row, at) => lineAnsi(row) + (at < rows.length - 1 ? ' '.repeat(cols - widths[at]!) : '')).join('');
}
