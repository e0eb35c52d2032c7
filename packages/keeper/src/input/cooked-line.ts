/**
 * Tracks the line being typed into a terminal whose program reads by line (ICANON). The kernel keeps 4095 bytes of it
 * and silently drops the rest, so longer input must be refused. Keeps IN-10.
 *
 * Editing keys count with their default meaning. Where the result cannot be known (a word was erased), the line counts as empty:
 * refusing input that would have fitted is worse than passing on input that the kernel cuts.
 */

/** The bytes of a line that the kernel keeps, without its end (N_TTY_BUF_SIZE - 1). */
export const COOKED_LINE_BYTES_MAX = 4095;

const CTRL_D = 0x04;
const ENDS: ReadonlySet<number> = new Set([0x0a, 0x0d, CTRL_D]);
/**
 * The characters for interrupt, quit, suspend, erasing the line and erasing a word: after one, the line is empty, or its length is
 * unknown.
 */
const CLEARS: ReadonlySet<number> = new Set([0x03, 0x1c, 0x1a, 0x15, 0x17]);
const ERASES: ReadonlySet<number> = new Set([0x08, 0x7f]);

export class CookedLine {
  #bytes = 0;

  /** Returns the length that the longest line would have if these bytes were typed now. It does not record them. */
  longestWith(bytes: Uint8Array): number {
    return this.#walk(bytes).longest;
  }

  /** Records these bytes as typed. */
  take(bytes: Uint8Array): void {
    this.#bytes = this.#walk(bytes).last;
  }

  /** Forgets the line: the program reads byte by byte. */
  clear(): void {
    this.#bytes = 0;
  }

  #walk(bytes: Uint8Array): { readonly longest: number; readonly last: number } {
    let last = this.#bytes;
    let longest = 0;
    for (const byte of bytes) {
      if (ENDS.has(byte) || CLEARS.has(byte)) last = 0;
      else if (ERASES.has(byte)) last = Math.max(0, last - 1);
      else longest = Math.max(longest, ++last);
    }
    return { longest, last };
  }
}
