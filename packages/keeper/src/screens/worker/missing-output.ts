/**
 * Counts the output that is missing from a picture, because the log has lost it: files shortened or deleted by hand, a full disk,
 * retention. Keeps SCR-6.
 *
 * After enough later output, the picture counts as correct again: programs repaint, and lines scroll away.
 */
const SETTLED_BYTES = 256 * 1024;

export class MissingOutput {
  #bytes = 0;
  #settledAt = 0;

  /** Notes that the bytes [from, to) could not be painted. */
  add(from: number, to: number): void {
    if (to <= from) return;
    this.#bytes = this.at(from) + to - from;
    this.#settledAt = to + SETTLED_BYTES;
  }

  /** Returns the number of bytes that the picture at this offset lacks. */
  at(offset: number): number {
    return offset < this.#settledAt ? this.#bytes : 0;
  }
}
