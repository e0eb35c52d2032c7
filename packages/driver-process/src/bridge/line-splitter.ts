/** Cuts bytes into lines. A line beyond the limit is dropped and counted: nobody's line fills the memory of the bridge. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onOverlong: (bytes: number) => void;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number, onOverlong: (bytes: number) => void) {
    this.#maxBytes = maxBytes;
    this.#onOverlong = onOverlong;
  }

  *push(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let newline = chunk.indexOf(0x0a); newline !== -1; newline = chunk.indexOf(0x0a, from)) {
      this.#add(chunk.subarray(from, newline));
      from = newline + 1;
      const line = this.#take();
      if (line !== undefined) yield line;
    }
    this.#add(chunk.subarray(from));
  }

  *end(): Generator<string> {
    const line = this.#take();
    if (line !== undefined && line !== '') yield line;
  }

  #add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #take(): string | undefined {
    const bytes = this.#bytes;
    const line = bytes > this.#maxBytes ? undefined : Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    this.#bytes = 0;
    if (line === undefined) this.#onOverlong(bytes);
    return line;
  }
}
