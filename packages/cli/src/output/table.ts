/** Tables: columns are as wide as their contents; the last one is truncated to fit the terminal. */
import { cutToWidth, displayWidth } from './printable.ts';

export interface Column {
  readonly title: string;
  readonly right?: true;
}

const GAP = 2;
/** The minimum width of the last column, however narrow the terminal is. */
const LAST_WIDTH_MIN = 10;

/** The lines of a table. `width` is that of the terminal; if undefined, nothing is truncated. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width?: number,
): string[] {
  const all = [columns.map((column) => column.title), ...rows];
  const last = columns.length - 1;
  const widths = columns.map((_, at) => Math.max(...all.map((row) => displayWidth(row[at] ?? ''))));
  const used = widths.slice(0, last).reduce((sum, each) => sum + each + GAP, 0);
  if (width !== undefined) widths[last] = Math.min(widths[last]!, Math.max(width - used, LAST_WIDTH_MIN));
  return all.map((row) =>
    columns
      .map((column, at) => {
        const cell = cutToWidth(row[at] ?? '', widths[at]!);
        const padding = ' '.repeat(widths[at]! - displayWidth(cell));
        return column.right ? padding + cell : cell + padding;
      })
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
}
