/**
 * Reads Markdown that still arrives: with each piece only the blocks after the last certain place are read again, and blocks
 * before it stay the same objects. The result is the same as for the whole text at once. Keeps SHOW-2.
 */
import { type Block, blocksFrom, type ReadingPlace, START } from './blocks.ts';
import { visibleLine } from '../visible-lines.ts';

const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;

export class StreamedMarkdown {
  #text = '';
  /** The lines that have ended, from the first that is not blank. */
  #lines: string[] = [];
  /** The number of characters that are in `#lines`. */
  #read = 0;
  #place: ReadingPlace = START;
  #blocks: readonly Block[] = [];

  /** Returns the blocks of the whole text so far. A text that does not begin with the last one is read from its beginning. */
  take(text: string): readonly Block[] {
    if (text === this.#text) return this.#blocks;
    if (!text.startsWith(this.#text)) this.#reset();
    this.#text = text;
    this.#readLines();
    const { blocks, place } = blocksFrom(this.#wholeLines(), this.#blocks, this.#place);
    this.#place = place;
    this.#blocks = blocks;
    return blocks;
  }

  /** Returns the lines including the one that still grows, without blank ones at the end. */
  #wholeLines(): readonly string[] {
    const lines = [...this.#lines, visibleLine(this.#text.slice(this.#read))];
    while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop();
    return lines;
  }

  #readLines(): void {
    LINE_END.lastIndex = this.#read;
    for (let found = LINE_END.exec(this.#text); found !== null; found = LINE_END.exec(this.#text)) {
      // A carriage return at the end may be half of a line end.
      if (found[0] === '\r' && LINE_END.lastIndex === this.#text.length) break;
      const line = visibleLine(this.#text.slice(this.#read, found.index));
      this.#read = LINE_END.lastIndex;
      if (this.#lines.length > 0 || line.trim() !== '') this.#lines.push(line);
    }
  }

  #reset(): void {
    this.#lines = [];
    this.#read = 0;
    this.#place = START;
    this.#blocks = [];
  }
}
