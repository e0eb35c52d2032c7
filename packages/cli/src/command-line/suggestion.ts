/** Returns the known word that is closest to a typo; undefined if more than a third of the letters differ. */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(Math.max(typed.length, 3) / 3)) + 1;
  for (const word of known) {
    const distance = word.startsWith(typed) && typed.length >= 2 ? 1 : editDistance(typed, word);
    if (distance < bestDistance) [best, bestDistance] = [word, distance];
  }
  return best;
}

/** Returns the optimal string alignment distance: an insertion, a deletion, a substitution or a swap of neighbours costs 1. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
