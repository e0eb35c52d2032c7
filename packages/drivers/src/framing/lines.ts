/**
 * Cuts an agent's output into lines, whatever the chunks. A line beyond `LINE_BYTES_MAX` is read on without being kept: long
 * strings in it are cut (`LongLine`), so that even a line of 50 MB costs a few megabytes. Keeps DRV-6.
 */
import { LongLine } from './long-line.ts';

/** Longer ones are read, but cut: Codex wrote a line of 1.2 MB for a long output, of which 64 KiB are shown. */
export const LINE_BYTES_MAX = 1024 * 1024;

export interface FramedLine {
  readonly text: string;
  readonly offset: number;
  /** In bytes, with the newline. */
  readonly length: number;
  readonly isCut?: true;
}

interface Utf8Decoder {
  decode(bytes: Uint8Array): string;
}
const { TextDecoder } = globalThis as unknown as { TextDecoder: new (label: string) => Utf8Decoder };
const utf8 = new TextDecoder('utf-8');

const NEWLINE = 0x0a;

export class LineFraming {
  /** The offset of the next byte. */
  #offset: number;
  #start: number;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #long: LongLine | undefined;

  constructor(offset = 0) {
    this.#offset = offset;
    this.#start = offset;
  }

  /** The lines that this chunk completes. */
  push(chunk: Uint8Array): FramedLine[] {
    const lines: FramedLine[] = [];
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, from);
      const to = newline < 0 ? chunk.length : newline;
      this.#hold(chunk.subarray(from, to));
      if (newline < 0) break;
      this.#offset++;
      lines.push(this.#take());
      from = newline + 1;
    }
    return lines;
  }

  /** The last line, if it has no newline. */
  end(): FramedLine[] {
    return this.#offset > this.#start ? [this.#take()] : [];
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#offset += bytes.length;
    if (this.#long) return this.#long.push(bytes);
    this.#held.push(bytes.slice());
    this.#heldBytes += bytes.length;
    if (this.#heldBytes <= LINE_BYTES_MAX) return;
    this.#long = new LongLine();
    for (const held of this.#held) this.#long.push(held);
    this.#held = [];
  }

  #take(): FramedLine {
    const text = this.#long ? utf8.decode(this.#long.end()) : utf8.decode(joined(this.#held, this.#heldBytes));
    const line = { text, offset: this.#start, length: this.#offset - this.#start };
    const isCut = this.#long !== undefined;
    this.#start = this.#offset;
    this.#held = [];
    this.#heldBytes = 0;
    this.#long = undefined;
    return isCut ? { ...line, isCut } : line;
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
