/**
 * Checks the bytes of `verified-source.c` in a log that may have gaps. A keeper that is killed while the disk is full leaves a
 * gap that is wider than the dropped bytes (offsets are reserved in strides): later lines are then at higher offsets than their
 * own numbers, by a surplus that is constant until the next such gap.
 */
export const LINE_BYTES = 16;

export class SourceLines {
  #surplus = 0;
  /** The bytes since a gap, until there is a whole line. */
  #unsure: { readonly offset: number; bytes: Buffer } | null = null;

  get surplus(): number {
    return this.#surplus;
  }

  hole(): void {
    this.#unsure = { offset: -1, bytes: Buffer.alloc(0) };
  }

  /** Returns a sentence about the first wrong byte, or null. */
  push(offset: number, bytes: Uint8Array): string | null {
    if (!this.#unsure) return this.#verify(offset, bytes);
    const all = Buffer.concat([this.#unsure.bytes, bytes]);
    const from = this.#unsure.offset === -1 ? offset : this.#unsure.offset;
    const line = /\n(\d{15})\n/.exec(all.toString('latin1'));
    if (!line) {
      this.#unsure = { offset: from, bytes: all };
      return null;
    }
    this.#unsure = null;
    const surplus = from + line.index + 1 - Number(line[1]) * LINE_BYTES;
    if (surplus < this.#surplus) return `bytes before ${from} came again after a hole`;
    this.#surplus = surplus;
    return this.#verify(from, all);
  }

  #verify(offset: number, bytes: Uint8Array): string | null {
    for (let at = 0; at < bytes.length; at++) {
      const own = offset + at - this.#surplus;
      const line = `${String(Math.floor(own / LINE_BYTES)).padStart(LINE_BYTES - 1, '0')}\n`;
      if (bytes[at] !== line.charCodeAt(own % LINE_BYTES))
        return `the byte at ${offset + at} is not the one that was written`;
    }
    return null;
  }
}
