/**
 * Shortens a line of JSON while it is read: a string beyond `STRING_BYTES_MAX` loses its end, and a mark shows how much. The result
 * is JSON too, so the dialect can still recognize the message. A line that is long for another reason is cut off.
 */
import { LineFraming, type OverlongLine } from '@spool/protocol/line-framing';

/** The length beyond which a line is shortened. Codex wrote a line of 1.2 MB for a long output, of which 64 KiB are shown. */
export const LINE_BYTES_MAX = 1024 * 1024;

/** Returns the framing of an agent's output. Keeps DRV-6: even a line of 50 MB costs a few megabytes. */
export function agentLines(): LineFraming {
  return new LineFraming({ bytesMax: LINE_BYTES_MAX, overlong: () => new LongLine() });
}

/** The part that is kept of each string in a long line. */
const STRING_BYTES_MAX = 64 * 1024;
/** The limit of the shortened line: beyond it the line is no longer JSON, and is shown as `raw`. */
const KEPT_BYTES_MAX = 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

class LongLine implements OverlongLine {
  readonly #kept = new Uint8Array(KEPT_BYTES_MAX);
  #length = 0;
  #isInString = false;
  #isEscaped = false;
  #stringBytes = 0;
  /** The last place where a cut splits neither an escape nor a character. */
  #cutAt = 0;
  /** The number of hexadecimal digits that still belong to the escape before this byte. */
  #escapeDigits = 0;

  push(bytes: Uint8Array): void {
    const marks = new NextMarks(bytes);
    for (let at = 0; at < bytes.length; at++) {
      if (!this.#isInString && this.#length >= KEPT_BYTES_MAX) return; // nothing more can be kept
      if (this.#isPastRoom) {
        const mark = marks.from(at);
        this.#stringBytes += mark - at;
        at = mark;
      }
      if (at < bytes.length) this.#take(bytes[at]!);
    }
  }

  /** Whether the position is in the part of a string that is dropped, of which only the end matters. */
  get #isPastRoom(): boolean {
    return this.#isInString && this.#stringBytes > STRING_BYTES_MAX && !this.#isEscaped && this.#escapeDigits === 0;
  }

  end(): Uint8Array {
    return this.#kept.subarray(0, this.#length);
  }

  #take(byte: number): void {
    if (!this.#isInString) {
      if (byte === QUOTE) this.#openString();
      return this.#keep(byte);
    }
    if (byte === QUOTE && !this.#isEscaped) return this.#closeString();
    const isBoundary = !this.#isEscaped && this.#escapeDigits === 0 && (byte & 0xc0) !== 0x80;
    if (isBoundary && this.#stringBytes <= STRING_BYTES_MAX) this.#cutAt = this.#length;
    if (this.#escapeDigits > 0) this.#escapeDigits--;
    if (this.#isEscaped && byte === 0x75) this.#escapeDigits = 4;
    this.#isEscaped = byte === BACKSLASH && !this.#isEscaped;
    this.#stringBytes++;
    if (this.#stringBytes <= STRING_BYTES_MAX) this.#keep(byte);
  }

  #openString(): void {
    this.#isInString = true;
    this.#isEscaped = false;
    this.#escapeDigits = 0;
    this.#stringBytes = 0;
    this.#cutAt = this.#length + 1;
  }

  #closeString(): void {
    this.#isInString = false;
    if (this.#stringBytes > STRING_BYTES_MAX) {
      this.#length = Math.min(this.#length, this.#cutAt);
      const mark = `[… ${this.#stringBytes} bytes, cut by spool]`;
      for (const byte of utf8(mark)) this.#keep(byte);
    }
    this.#keep(QUOTE);
  }

  #keep(byte: number): void {
    if (this.#length < KEPT_BYTES_MAX) this.#kept[this.#length++] = byte;
  }
}

/** Finds the next quote or backslash with the runtime's search, not byte by byte, and searches each stretch once. */
class NextMarks {
  readonly #bytes: Uint8Array;
  #quote = -1;
  #backslash = -1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  from(at: number): number {
    if (this.#quote < at) this.#quote = this.#next(QUOTE, at);
    if (this.#backslash < at) this.#backslash = this.#next(BACKSLASH, at);
    return Math.min(this.#quote, this.#backslash);
  }

  #next(byte: number, at: number): number {
    const found = this.#bytes.indexOf(byte, at);
    return found < 0 ? this.#bytes.length : found;
  }
}

const { TextEncoder } = globalThis as unknown as { TextEncoder: new () => { encode(text: string): Uint8Array } };
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
