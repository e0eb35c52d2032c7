/** Selects the sealed segments to drop: the oldest first, while there is too much or they are too old. Keeps LOG-5. */

export interface Retention {
  readonly retainBytes: number;
  readonly retainMs: number;
}

/** What retention needs of a segment. The age is a function, not a value: it is only computed for the oldest. */
export interface Retained {
  readonly diskBytes: number;
  lastAt(): number;
}

/** How many of the sealed segments (oldest first) to drop. `openBytes`: the size of the open segment, which always stays. */
export function countToDrop(
  sealed: readonly Retained[],
  openBytes: number,
  { retainBytes, retainMs }: Retention,
  now: number,
): number {
  let kept = sealed.reduce((sum, segment) => sum + segment.diskBytes, openBytes);
  let count = 0;
  for (const segment of sealed) {
    if (kept <= retainBytes && now - segment.lastAt() <= retainMs) break;
    kept -= segment.diskBytes;
    count++;
  }
  return count;
}
