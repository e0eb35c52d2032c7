/**
 * The line that is being typed into a terminal whose program reads by line (ICANON). The kernel keeps 4095 bytes of it and throws
 * the rest away without a word, so whoever would type more must be refused.
 *
 * What edits the line counts as the usual keys do it. Where that cannot be known (a word erased), the line counts as empty: to
 * refuse what would have fitted is worse than to let through what the kernel cuts.
 */

/** What the kernel keeps of a line, its end not counted (N_TTY_BUF_SIZE - 1). */
export const COOKED_LINE_BYTES_MAX = 4095;

const CTRL_D = 0x04;
const ENDS: ReadonlySet<number> = new Set([0x0a, 0x0d, CTRL_D]);
/** Interrupt, quit, suspend, kill the line, erase a word: nothing of the line is left, or nobody knows how much. */
const CLEARS: ReadonlySet<number> = new Set([0x03, 0x1c, 0x1a, 0x15, 0x17]);
const ERASES: ReadonlySet<number> = new Set([0x08, 0x7f]);

export class CookedLine {
  #bytes = 0;

  /** How long the longest line would be with these bytes behind what is there. Nothing is taken yet. */
  longestWith(bytes: Uint8Array): number {
    return this.#walk(bytes).longest;
  }

  /** These bytes are typed. */
  take(bytes: Uint8Array): void {
    this.#bytes = this.#walk(bytes).last;
  }

  /** The program reads byte by byte: there is no line. */
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
