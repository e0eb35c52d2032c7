/**
 * Returns the lines that a user saw, from an offset on, of a session that may have two streams: one `LineText` for each.
 *
 * The offset may be in the middle of an escape sequence or a character. Feed some bytes from before the offset, so that the open
 * sequence is recognised and its rest is not shown.
 */
import { EscapeScanner } from '../scan/escape-scanner.ts';
import type { StreamName } from './text-streams.ts';
import { LineText } from './text.ts';
import { cutCharacterBytes, Utf8Decoder } from '../scan/utf8.ts';

/**
 * The number of bytes to feed from before the offset, so that nearly all sequences are recognised: links and titles are shorter,
 * images longer.
 */
export const LINES_LOOK_BACK_BYTES = 8 * 1024;

export class LineStreams {
  readonly #streams: Readonly<Record<StreamName, StreamLines>>;
  /** The stream with the latest output: its unfinished line comes last. */
  #last: StreamName = 'stdout';

  constructor(from: number) {
    this.#streams = { stdout: new StreamLines(from), stderr: new StreamLines(from) };
  }

  /** Returns the lines that these bytes have ended. */
  feed(stream: StreamName, bytes: Uint8Array, offset: number): readonly string[] {
    this.#last = stream;
    return this.#streams[stream].feed(bytes, offset);
  }

  /** Returns the unfinished lines. */
  flush(): readonly string[] {
    const other = this.#last === 'stdout' ? 'stderr' : 'stdout';
    return [...this.#streams[other].flush(), ...this.#streams[this.#last].flush()];
  }
}

class StreamLines {
  readonly #from: number;
  readonly #before = new EscapeScanner({ onSequence() {} });
  readonly #text = new LineText();
  /** Decodes the character that lies across the offset, if there is one. */
  readonly #cutCharacter = new Utf8Decoder();
  #isBegun = false;

  constructor(from: number) {
    this.#from = from;
  }

  feed(bytes: Uint8Array, offset: number): readonly string[] {
    const beforeBytes = Math.min(bytes.length, Math.max(0, this.#from - offset));
    this.#before.feed(bytes.subarray(0, beforeBytes));
    if (beforeBytes === bytes.length) return [];
    if (!this.#isBegun) this.#begin();
    let at = beforeBytes;
    while (this.#cutCharacter.isCut && at < bytes.length && isContinuation(bytes[at]!))
      this.#cutCharacter.decode(bytes, at, ++at);
    if (at < bytes.length) this.#cutCharacter.flush();
    return this.#text.feed(bytes.subarray(at)).map(({ text }) => text);
  }

  flush(): readonly string[] {
    return this.#text.flush().map(({ text }) => text);
  }

  #begin(): void {
    this.#isBegun = true;
    const { pending } = this.#before;
    if (cutCharacterBytes(pending, 0, pending.length) === pending.length) this.#cutCharacter.decode(pending);
    else this.#text.feed(pending); // an unfinished sequence continues there, and shows nothing
  }
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
