/**
 * What a user saw, line by line, from an offset on, of a session that may have two streams: a `LineText` for each.
 *
 * The offset may be in the middle of an escape sequence or a character. Feed a little of what comes before it, so that
 * this is recognised: the rest of the open sequence is then not shown.
 */
import { EscapeScanner } from '../scan/escape-scanner.ts';
import type { StreamName } from './text-streams.ts';
import { LineText } from './text.ts';
import { cutCharacterBytes, Utf8Decoder } from '../scan/utf8.ts';

/**
 * How much to feed of what comes before, so that nearly all sequences are recognised: links and titles are shorter,
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

  /** The lines that these bytes have ended. */
  feed(stream: StreamName, bytes: Uint8Array, offset: number): readonly string[] {
    this.#last = stream;
    return this.#streams[stream].feed(bytes, offset);
  }

  /** The unfinished lines. */
  flush(): readonly string[] {
    const other = this.#last === 'stdout' ? 'stderr' : 'stdout';
    return [...this.#streams[other].flush(), ...this.#streams[this.#last].flush()];
  }
}

class StreamLines {
  readonly #from: number;
  readonly #before = new EscapeScanner({ onSequence() {} });
  readonly #text = new LineText();
  /** Has the character that lies across the offset, if one does. */
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
    else this.#text.feed(pending); // an open sequence: it goes on there, and shows nothing
  }
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
