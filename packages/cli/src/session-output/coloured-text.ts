/** A line with its colours: colours and other attributes only, so that it is safe on any terminal. Keeps PAST-41. */
import { lineAnsi } from '@spool/screen';
import type { ShownLine } from './line-filter.ts';

/** Returns the line with its colours, if they are known. All rows but the last are as wide as the terminal was. */
export function colouredText({ text, rows }: ShownLine): string {
  if (rows === undefined || rows.length === 0) return text;
  const widths = rows.map(({ runs }) => runs.reduce((sum, { cells }) => sum + cells, 0));
  const cols = Math.max(...widths);
  return rows.map((row, at) => lineAnsi(row) + (at < rows.length - 1 ? ' '.repeat(cols - widths[at]!) : '')).join('');
}
