/** Checks the stream of `verified-source.c`: every byte at its own offset, none missing, none twice. */
export class VerifiedStream {
  #offset = 0;

  get offset(): number {
    return this.#offset;
  }

  /** Throws at the first wrong byte. */
  push(offset: number, bytes: Uint8Array): void {
    if (offset !== this.#offset) throw new Error(`bytes came at ${offset}, expected at ${this.#offset}`);
    let at = 0;
    while (at < bytes.length) {
      const line = Math.floor(this.#offset / 16);
      const within = this.#offset % 16;
      const expected = `${String(line).padStart(15, '0')}\n`;
      const take = Math.min(16 - within, bytes.length - at);
      for (let k = 0; k < take; k++) {
        if (bytes[at + k] !== expected.charCodeAt(within + k)) {
          const found = Buffer.from(bytes.subarray(at, at + 32)).toString('latin1');
          throw new Error(
            `at ${this.#offset + k}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`,
          );
        }
      }
      at += take;
      this.#offset += take;
    }
  }
}
