/**
 * Searches rows of which some may be unreadable, by bisection.
 *
 * Returns the first row that is not `before` (or `count`); all rows that are `before` come first. A probe of an unreadable row
 * (undefined) continues with the next one, so damage costs time, but the answer is right.
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
