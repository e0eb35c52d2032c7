/**
 * Lines of text out of bytes. A carriage return ends a line too: it is about to be written over. A line longer than the
 * window is given in windows that overlap by half.
 */
import { PlainText } from './plain-text.ts';

export const WINDOW_CHARACTERS = 64 * 1024;

const BREAK = /[\r\n]/;

export class LineCutter {
  #plain = new PlainText();
  readonly #decoder = new TextDecoder();
  #open = '';
  /** What was pushed last, and the state before it: offsets are asked for once in a wait, so they are found out then. */
  #last: { offset: number; bytes: Uint8Array; plain: PlainText } = {
    offset: 0,
    bytes: new Uint8Array(0),
    plain: this.#plain,
  };

  /** The lines that were completed by these bytes of the log. */
  push(offset: number, bytes: Uint8Array): string[] {
    this.#last = { offset, bytes, plain: this.#plain.clone() };
    const lines = (this.#open + this.#decoder.decode(this.#plain.push(bytes), { stream: true })).split(BREAK);
    this.#open = lines.pop()!;
    while (this.#open.length >= WINDOW_CHARACTERS) {
      lines.push(this.#open.slice(0, WINDOW_CHARACTERS));
      this.#open = this.#open.slice(WINDOW_CHARACTERS / 2);
    }
    return lines;
  }

  /** The line that has no end yet: a prompt, perhaps. */
  get open(): string {
    return this.#open;
  }

  /** The offset of the first byte after one of the lines that `push` just gave; after all bytes for one without an end. */
  endOf(line: number): number {
    const { offset, bytes, plain } = this.#last;
    let breaks = 0;
    for (let at = 0; at < bytes.length; at++) {
      for (const byte of plain.push(bytes.subarray(at, at + 1))) {
        if ((byte === 0x0a || byte === 0x0d) && breaks++ === line) return offset + at + 1;
      }
    }
    return offset + bytes.length;
  }
}
