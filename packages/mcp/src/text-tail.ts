/** Builds the end of a session's output: plain text of a limited size, and the offset after it, where a page continues. */
import { LineText, TextChunker, type TextLine } from '@spool/vt';
import { RepaintDetector } from './repaint-detector.ts';
import { ENTER_FULL_SCREEN, type OutputPage, type TextPageOptions } from './text-page.ts';

export interface TextTailOptions extends TextPageOptions {
  /** Whether the input may begin inside a line, whose rest is then omitted. */
  readonly isInside: boolean;
}

export interface Tail extends OutputPage {
  /** The offset where its text begins. */
  readonly from: number;
}

export class TextTail {
  readonly #text: LineText;
  /** Tracks the end of the last complete character or escape sequence, where the cursor is placed. */
  readonly #chunker: TextChunker;
  readonly #signs: RepaintDetector;
  readonly #textBytesMax: number;
  #isInside: boolean;
  #lines: TextLine[] = [];
  #bytes = 0;
  /** The offset where the unfinished line begins. */
  #open: number;

  constructor({ from, textBytesMax, isInside, isFullScreen = false }: TextTailOptions) {
    this.#text = new LineText({ offset: from - (isFullScreen ? ENTER_FULL_SCREEN.length : 0), skipAlternate: true });
    this.#chunker = new TextChunker({ offset: from });
    this.#signs = new RepaintDetector(isFullScreen);
    this.#textBytesMax = textBytesMax;
    this.#isInside = isInside;
    this.#open = from;
    if (isFullScreen) this.#text.feed(ENTER_FULL_SCREEN);
  }

  feed(bytes: Uint8Array): void {
    for (const { data } of this.#chunker.feed(bytes)) this.#signs.look(data);
    for (const line of this.#text.feed(bytes)) this.#line(line);
  }

  end(): Tail {
    for (const { data } of this.#chunker.flush()) this.#signs.look(data);
    const text = `${this.#lines.map((line) => `${line.text.trimEnd()}\n`).join('')}${this.#text.current}`;
    const { isFullScreen, isRepainting } = this.#signs;
    return {
      text: text.slice(-this.#textBytesMax).toWellFormed(),
      from: this.#lines[0]?.start ?? this.#open,
      nextCursor: this.#chunker.offset,
      isFullScreen,
      isRepainting,
    };
  }

  #line(line: TextLine): void {
    this.#open = line.end;
    if (this.#isInside) {
      this.#isInside = false;
      return;
    }
    this.#lines.push(line);
    this.#bytes += Buffer.byteLength(line.text) + 1;
    while (this.#bytes > this.#textBytesMax) this.#bytes -= Buffer.byteLength(this.#lines.shift()!.text) + 1;
  }
}
