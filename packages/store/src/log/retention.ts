/** Selects the sealed segments to drop: the oldest first, while they are too many or too old. Keeps LOG-5. */

export interface Retention {
  readonly retainBytes: number;
  readonly retainMs: number;
}

/** The facts about a segment that retention needs. The age is a function, not a value: it is only computed for the oldest. */
export interface RetainableSegment {
  readonly diskBytes: number;
  lastAt(): number;
}

/**
 * Returns how many of the sealed segments (oldest first) to drop. `openBytes` is the size of the open segment, which is always
 * kept.
 */
export function countToDrop(
  sealed: readonly RetainableSegment[],
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
