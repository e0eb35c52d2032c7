/** Which sealed segments have had their time: the oldest first, while there is too much or they are too old. */

export interface Retention {
  readonly retainBytes: number;
  readonly retainMs: number;
}

/** What retention asks about a segment. The age is a question, not a value: it is only asked of the oldest. */
export interface Retained {
  readonly diskBytes: number;
  lastAt(): number;
}

/** How many of the sealed segments (oldest first) to drop. `openBytes`: what the open segment takes; it always stays. */
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
