/** Finds the line of a search on a past screen, so that it can be marked and brought into view. Keeps PAGE-74. */

export interface FoundPlace {
  readonly row: number;
  readonly column: number;
  readonly length: number;
}

/** The shortest beginning of a line that identifies it: a long line may be wrapped, or cut by the search. */
const PREFIX_MIN = 8;

/** Returns the last row with this text, or with its longest beginning; null if there is none. */
export function findPlace(rows: readonly string[], text: string): FoundPlace | null {
  const sought = text.trim();
  if (sought === '') return null;
  for (let length = sought.length; length >= Math.min(PREFIX_MIN, sought.length); length = Math.floor(length * 0.7)) {
    const part = sought.slice(0, length);
    const row = rows.findLastIndex((each) => each.includes(part));
    if (row !== -1) return { row, column: rows[row]!.indexOf(part), length };
  }
  return null;
}
