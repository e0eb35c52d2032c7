/**
 * Cuts bytes into lines, whatever the chunks. A line beyond the limit is read to its end without being kept: its text is dropped,
 * or `overlong` keeps a part of it. Keeps DRV-6.
 */

const NEWLINE = 0x0a;

export interface LineFramingOptions {
  /** The maximum length of a line that is kept whole, without its newline. */
  readonly bytesMax: number;
  /** Returns a collector for the bytes of a line beyond the limit (default: the text is dropped). */
  readonly overlong?: () => OverlongLine;
}

export interface OverlongLine {
  push(bytes: Uint8Array): void;
  /** Returns the bytes that are kept. */
  end(): Uint8Array;
}

interface BytesDecoder {
  decode(bytes: Uint8Array): string;
}
const { TextDecoder } = globalThis as unknown as { TextDecoder: new (label: string) => BytesDecoder };
const utf8 = new TextDecoder('utf-8');

/** A line, which shares memory with the chunk that ended it: its text must be read before the chunk changes. */
export class FramedLine {
  /** The offset of its first byte, and the one after its last. Bytes of another stream may be in between. */
  readonly offset: number;
  readonly end: number;
  /** The number of bytes of the line, with the newline. */
  readonly length: number;
  /** Whether some strings of the line are shortened. */
  readonly isCut: boolean;
  /** Whether the line was too long, and its text is dropped. */
  readonly isDropped: boolean;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, line: Pick<FramedLine, 'offset' | 'end' | 'length' | 'isCut' | 'isDropped'>) {
    this.#bytes = bytes;
    this.offset = line.offset;
    this.end = line.end;
    this.length = line.length;
    this.isCut = line.isCut;
    this.isDropped = line.isDropped;
  }

  get text(): string {
    return utf8.decode(this.#bytes);
  }

  /** Returns the text of the first bytes. */
  head(bytes: number): string {
    return utf8.decode(this.#bytes.subarray(0, bytes));
  }
}

export class LineFraming {
  readonly #bytesMax: number;
  readonly #overlong: LineFramingOptions['overlong'];
  /** The offset of the next byte. */
  #offset = 0;
  /** The offset of the first byte of the unfinished line. */
  #start: number | null = null;
  #held: Uint8Array[] = [];
  /** The number of bytes of the unfinished line, kept or not. */
  #bytes = 0;
  #long: OverlongLine | undefined;
  #isSkipping = false;

  constructor({ bytesMax, overlong }: LineFramingOptions) {
    this.#bytesMax = bytesMax;
    this.#overlong = overlong;
  }

  /** Whether a line has begun and not ended. */
  get isOpen(): boolean {
    return this.#start !== null;
  }

  /** Returns the lines that this chunk completes. `offset`: the offset of the chunk, if it does not follow the last one. */
  push(chunk: Uint8Array, offset: number = this.#offset): FramedLine[] {
    const lines: FramedLine[] = [];
    for (let from = 0; from < chunk.length;) {
      this.#start ??= offset + from;
      const newline = chunk.indexOf(NEWLINE, from);
      if (newline < 0) {
        this.#add(chunk.subarray(from), true);
        break;
      }
      this.#add(chunk.subarray(from, newline), false);
      from = newline + 1;
      lines.push(...this.#take(offset + from, 1));
    }
    this.#offset = offset + chunk.length;
    return lines;
  }

  /** Returns the last line, if it has no newline. `offset`: the end of the stream, if it is after the last chunk. */
  end(offset: number = this.#offset): FramedLine[] {
    return this.isOpen ? this.#take(offset, 0) : [];
  }

  /** Forgets the unfinished line: later bytes do not belong to it. */
  drop(): void {
    this.#start = null;
    this.#held = [];
    this.#bytes = 0;
    this.#long = undefined;
  }

  /** Forgets the unfinished line, and all bytes up to the next newline. */
  skip(): void {
    this.drop();
    this.#isSkipping = true;
  }

  /**
   * Adds bytes to the unfinished line. The line outlives its chunk, whose memory may be reused, so the bytes are copied
   * (`Buffer.slice` does not copy).
   */
  #add(bytes: Uint8Array, isUnfinished: boolean): void {
    this.#bytes += bytes.length;
    if (this.#bytes <= this.#bytesMax) return void this.#held.push(isUnfinished ? new Uint8Array(bytes) : bytes);
    if (this.#long === undefined) {
      this.#long = this.#overlong?.();
      for (const held of this.#held) this.#long?.push(held);
      this.#held = [];
    }
    this.#long?.push(bytes);
  }

  #take(end: number, newlineBytes: 0 | 1): FramedLine[] {
    const isCut = this.#long !== undefined;
    const isDropped = !isCut && this.#bytes > this.#bytesMax;
    const facts = { offset: this.#start!, end, length: this.#bytes + newlineBytes, isCut, isDropped };
    const line = new FramedLine(this.#long?.end() ?? joined(this.#held), facts);
    const isSkipped = this.#isSkipping;
    this.drop();
    this.#isSkipping = false;
    return isSkipped ? [] : [line];
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Uint8Array(pieces.reduce((bytes, { length }) => bytes + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
