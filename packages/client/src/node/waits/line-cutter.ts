/**
 * Cuts a session's bytes into lines of text, without escape sequences and control characters, wherever those are cut. A carriage
 * return ends a line too, because the line is about to be overwritten. A line longer than the window is returned in windows that
 * overlap by half. The result is the written text, which may differ from the screen.
 */
import { EscapeScanner } from '@spool/vt';

export const WINDOW_CHARACTERS = 64 * 1024;

const CR = 0x0d;
const LF = 0x0a;

/** The control characters C0 and DEL, except tab. */
const CONTROLS = /[\x00-\x08\x0a-\x1f\x7f]/g;

export interface CutLine {
  readonly text: string;
  /** The offset of the first byte after the line. */
  readonly end: number;
}

export class LineCutter {
  readonly #decoder = new TextDecoder();
  readonly #scanner: EscapeScanner;
  /** The log offset of the scanner's position 0: bytes of another stream may be in between. */
  #base = 0;
  #position = 0;
  #lines: CutLine[] = [];
  #open = '';
  #isAfterReturn = false;

  constructor() {
    this.#scanner = new EscapeScanner({
      onSequence: () => {},
      onText: (source, from, to, position) => this.#text(source.subarray(from, to), position),
    });
  }

  /** Returns the lines that these bytes of the log complete. */
  push(offset: number, bytes: Uint8Array): readonly CutLine[] {
    this.#base = offset - this.#position;
    this.#lines = [];
    this.#scanner.feed(bytes);
    this.#position += bytes.length;
    while (this.#open.length >= WINDOW_CHARACTERS) {
      this.#lines.push({ text: this.#open.slice(0, WINDOW_CHARACTERS), end: offset + bytes.length });
      this.#open = this.#open.slice(WINDOW_CHARACTERS / 2);
    }
    return this.#lines;
  }

  /** The unfinished line: perhaps a prompt. */
  get open(): string {
    return this.#open;
  }

  #text(bytes: Uint8Array, position: number): void {
    let from = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte !== CR && byte !== LF) continue;
      const end = this.#base + position + at + 1;
      if (byte === LF && this.#isAfterReturn && from === at) this.#lengthen(end);
      else this.#complete(bytes.subarray(from, at), end);
      this.#isAfterReturn = byte === CR;
      from = at + 1;
    }
    if (from === bytes.length) return;
    this.#isAfterReturn = false;
    this.#open = this.#grown(bytes.subarray(from));
  }

  #complete(bytes: Uint8Array, end: number): void {
    this.#lines.push({ text: this.#grown(bytes), end });
    this.#open = '';
  }

  /** Adds the newline after a carriage return to the line that was just returned. */
  #lengthen(end: number): void {
    const last = this.#lines.pop();
    if (last) this.#lines.push({ ...last, end });
  }

  #grown(bytes: Uint8Array): string {
    return this.#open + this.#decoder.decode(bytes, { stream: true }).replace(CONTROLS, '');
  }
}
