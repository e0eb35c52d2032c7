/**
 * Builds the next page of a session's output: plain text of a limited size, and the offset where the next page begins.
 *
 * Consecutive pages contain all output exactly once. A page ends after a line where possible, and never inside a character or an
 * escape sequence. An unfinished line (a prompt, a progress bar) is included up to its present end. Keeps MCP-2.
 */
import { encodeUtf8, LineText, type TextChunk, TextChunker } from '@spool/vt';
import { RepaintDetector } from './repaint-detector.ts';

export interface TextPageOptions {
  /** The offset of the first byte. */
  readonly from: number;
  readonly textBytesMax: number;
  /** Whether the alternate screen was on at that offset. */
  readonly isFullScreen?: boolean | undefined;
  /** The column of the cursor at that offset; relative cursor movements start there. */
  readonly column?: number | undefined;
}

export interface OutputPage {
  readonly text: string;
  readonly nextCursor: number;
  readonly isFullScreen: boolean;
  readonly isRepainting: boolean;
}

/** The granularity of a page that has no line breaks. */
const CHUNK_BYTES = 256;
export const PAGE_BYTES_MIN = 1024;
/** The bytes to feed first if the alternate screen is already on. */
export const ENTER_FULL_SCREEN = encodeUtf8('\x1b[?1049h');

export class TextPage {
  readonly #chunker: TextChunker;
  readonly #text = new LineText({ skipAlternate: true });
  readonly #signs: RepaintDetector;
  readonly #textBytesMax: number;
  readonly #column: number;
  readonly #lines: string[] = [];
  #linesBytes = 0;
  #cursor: number;
  /** The position after the last line break: number of lines and offset. */
  #break: { readonly lines: number; readonly cursor: number } | null = null;
  #isFull = false;

  constructor({ from, textBytesMax, isFullScreen = false, column = 0 }: TextPageOptions) {
    this.#chunker = new TextChunker({ chunking: 'line', maxBytes: CHUNK_BYTES, offset: from });
    this.#textBytesMax = Math.max(PAGE_BYTES_MIN, textBytesMax);
    this.#cursor = from;
    this.#signs = new RepaintDetector(isFullScreen);
    this.#column = isFullScreen ? 0 : column;
    if (isFullScreen) this.#text.feed(ENTER_FULL_SCREEN);
    else if (column > 0) this.#text.feed(encodeUtf8(`\x1b[${column}C`));
  }

  /** Whether the page accepts no more text. */
  get isFull(): boolean {
    return this.#isFull;
  }

  feed(bytes: Uint8Array, offset: number): void {
    if (!this.#isFull) this.#take(this.#chunker.feed(bytes, offset));
  }

  /** Notes that these bytes are deleted. */
  gap(from: number, to: number): void {
    if (!this.#isFull) this.#take(this.#chunker.reset(to));
    if (this.#isFull) return;
    for (const { text } of this.#text.flush()) this.#line(text);
    this.#line(`[the bytes from ${from} to ${to} were already deleted]`);
    this.#cursor = to;
    this.#break = { lines: this.#lines.length, cursor: to };
  }

  /** Returns the page. `isLast`: no output will follow, so the unfinished end is included. */
  end({ isLast = false } = {}): OutputPage {
    if (!this.#isFull) this.#take(isLast ? this.#chunker.end() : this.#chunker.flush());
    const cut = this.#isFull ? this.#break : null;
    const lines = this.#lines.slice(0, cut?.lines).map((line) => `${line}\n`);
    const { isFullScreen, isRepainting } = this.#signs;
    return {
      text: limited(
        `${lines.join('')}${cut === null ? this.#withoutLead(this.#text.current) : ''}`,
        2 * this.#textBytesMax,
      ),
      nextCursor: cut?.cursor ?? this.#cursor,
      isFullScreen,
      isRepainting,
    };
  }

  #take(chunks: readonly TextChunk[]): void {
    for (const { data, end } of chunks) {
      for (const { text } of this.#text.feed(encodeUtf8(data))) this.#line(text);
      this.#signs.look(data);
      this.#cursor = end;
      if (data.endsWith('\n')) this.#break = { lines: this.#lines.length, cursor: end };
      this.#isFull = this.#linesBytes + Buffer.byteLength(this.#text.current) > this.#textBytesMax - CHUNK_BYTES;
      if (this.#isFull) return;
    }
  }

  /** Removes the blanks that move the first line to the column where the page before ended, unless they were overwritten. */
  #withoutLead(text: string): string {
    const isLed = this.#lines.length === 0 && text.startsWith(' '.repeat(this.#column));
    return isLed ? text.slice(this.#column) : text;
  }

  #line(text: string): void {
    const line = this.#withoutLead(text).trimEnd();
    this.#lines.push(line);
    this.#linesBytes += Buffer.byteLength(line) + 1;
  }
}

/** Limits a text: a few bytes that move far to the right write thousands of blanks. */
function limited(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters)}[cut]`;
}
