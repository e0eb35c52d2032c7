/** Follows a stream of frames without decoding them, to know where the next one begins. */
import { HEADER_BYTES } from '@spool/protocol';

/** The first field of a header: the bytes of the payload. */
const LENGTH_BYTES = 4;

export class FrameBoundary {
  #headerFilled = 0;
  #payloadLength = 0;
  #payloadLeft = 0;

  /** Whether the stream so far consists of whole frames. */
  get isReached(): boolean {
    return this.#headerFilled === 0 && this.#payloadLeft === 0;
  }

  pass(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#payloadLeft > 0) {
        const passed = Math.min(this.#payloadLeft, chunk.length - at);
        this.#payloadLeft -= passed;
        at += passed;
        continue;
      }
      if (this.#headerFilled < LENGTH_BYTES) this.#payloadLength = this.#payloadLength * 256 + chunk[at]!;
      this.#headerFilled++;
      at++;
      if (this.#headerFilled < HEADER_BYTES) continue;
      this.#payloadLeft = this.#payloadLength;
      this.#payloadLength = 0;
      this.#headerFilled = 0;
    }
  }
}
