/**
 * Counts the memory of an unfinished WebSocket message from the bytes of the wire (RFC 6455, 5.2): the earlier parts, the
 * incomplete frame, and the overhead of each piece. Keeps DOOR-26.
 */

/** The memory that Node needs for a piece of data besides its bytes: even one byte in a separate packet takes this much. */
const PIECE_BYTES = 512;

const HEAD_BYTES_MAX = 14;
const MASK_BYTES = 4;
/** The first opcode of control frames, which may come between the parts of a message. */
const CONTROL_OPCODE = 8;

export class MessageMeter {
  readonly #head = Buffer.alloc(HEAD_BYTES_MAX);
  #headBytes = 0;
  /** The bytes of the payload that are still to come; null while the head is not complete. */
  #left: number | null = null;
  #frameBytes = 0;
  #partsBytes = 0;

  get unfinishedBytes(): number {
    return this.#frameBytes + this.#partsBytes;
  }

  take(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      const from = at;
      if (this.#left === null) this.#readHead(chunk[at++]!);
      else {
        const bytes = Math.min(this.#left, chunk.length - at);
        this.#left -= bytes;
        at += bytes;
      }
      this.#frameBytes += at - from;
      if (this.#left === 0) this.#endFrame();
    }
    if (this.#frameBytes > 0) this.#frameBytes += PIECE_BYTES;
  }

  #readHead(byte: number): void {
    this.#head[this.#headBytes++] = byte;
    if (this.#headBytes < 2) return;
    const second = this.#head[1]!;
    const length = second & 0x7f;
    const lengthBytes = length === 126 ? 2 : length === 127 ? 8 : 0;
    if (this.#headBytes < 2 + lengthBytes + ((second & 0x80) === 0 ? 0 : MASK_BYTES)) return;
    this.#left =
      lengthBytes === 0
        ? length
        : lengthBytes === 2
          ? this.#head.readUInt16BE(2)
          : Number(this.#head.readBigUInt64BE(2));
  }

  #endFrame(): void {
    const first = this.#head[0]!;
    const isControl = (first & 0x0f) >= CONTROL_OPCODE;
    const isFinal = (first & 0x80) !== 0;
    if (!isControl) this.#partsBytes = isFinal ? 0 : this.#partsBytes + this.#frameBytes + PIECE_BYTES;
    this.#frameBytes = this.#headBytes = 0;
    this.#left = null;
  }
}
