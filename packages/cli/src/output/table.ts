/**
 * Tables that fit the terminal: no line is wider than it. Columns are as wide as their contents. If there is no room for that,
 * columns are narrowed, and then the least important ones are left out.
 */
import { cutStartToWidth, cutToWidth, displayWidth } from './printable.ts';

export interface Column {
  readonly title: string;
  readonly right?: true;
  /** Whether a truncated cell keeps its end, as a path does. */
  readonly keepsEnd?: true;
  /** The higher the number, the longer it stays. By default, columns further left are more important. */
  readonly matters?: number;
  /** The number of cells to which the column may be narrowed. By default only the last column may. */
  readonly least?: number;
  /**
   * The number of cells to which the column is narrowed first, so that one long cell does not take the room of the other columns.
   */
  readonly fair?: number;
}

/** The blanks between two columns. */
export const GAP = 2;
const LAST_WIDTH_MIN = 10;

/** Returns the lines of a table. `width` is that of the terminal; if it is undefined, nothing is truncated. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width?: number,
): string[] {
  const all = [columns.map((column) => column.title), ...rows];
  const natural = columns.map((_, at) => Math.max(...all.map((row) => displayWidth(row[at] ?? ''))));
  const widths = width === undefined ? natural : fittingWidths(columns, natural, width);
  return all.map((row) => {
    const cells = columns.flatMap((column, at) => {
      const columnWidth = widths[at];
      if (columnWidth === null || columnWidth === undefined) return [];
      const cell = (column.keepsEnd ? cutStartToWidth : cutToWidth)(row[at] ?? '', columnWidth);
      const padding = ' '.repeat(columnWidth - displayWidth(cell));
      return [column.right ? padding + cell : cell + padding];
    });
    return cells.join(' '.repeat(GAP)).trimEnd();
  });
}

/** Returns the widths; null for a column that is left out. */
function fittingWidths(columns: readonly Column[], natural: readonly number[], width: number): (number | null)[] {
  const last = columns.length - 1;
  const least = columns.map((column, at) =>
    Math.min(natural[at]!, column.least ?? (at === last ? LAST_WIDTH_MIN : natural[at]!)),
  );
  const matters = (at: number): number => columns[at]!.matters ?? -at;
  const byWorth = columns.map((_, at) => at).sort((a, b) => matters(b) - matters(a));
  const kept = [...byWorth];
  const leastTotal = (): number => kept.reduce((sum, at) => sum + least[at]! + GAP, -GAP);
  while (kept.length > 1 && leastTotal() > width) kept.pop();
  const widths: (number | null)[] = columns.map((_, at) => (kept.includes(at) ? Math.min(least[at]!, width) : null));
  // The remaining width goes to the most important columns: each gets its fair share first.
  let room = width - kept.reduce((sum, at) => sum + widths[at]! + GAP, -GAP);
  for (const wanted of [(at: number) => Math.min(natural[at]!, columns[at]!.fair ?? natural[at]!), naturalAt]) {
    for (const at of kept) {
      const more = Math.min(room, Math.max(0, wanted(at) - widths[at]!));
      widths[at]! += more;
      room -= more;
    }
  }
  return widths;

  function naturalAt(at: number): number {
    return natural[at]!;
  }
}
