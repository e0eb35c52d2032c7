/**
 * Binary search over rows of which some may be unreadable.
 *
 * Returns the first row that is not `before` (or `count`), where all rows that are `before` come first. A probe that
 * lands on an unreadable row (undefined) moves on to the next one, so damage costs time, not the answer.
 */
export function partition(count: number, isBefore: (row: number) => boolean | undefined): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    let probe = middle;
    let answer = isBefore(probe);
    while (answer === undefined && ++probe < high) answer = isBefore(probe);
    if (answer === true) low = probe + 1;
    else high = middle;
  }
  return low;
}
