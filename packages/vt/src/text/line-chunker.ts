/**
 * Converts a terminal's bytes to the lines that a user saw, each with the offsets of its bytes: the reader of `tail`, as a
 * chunker. A line is returned when it has ended, because until then the program may change it; the last one is returned at the
 * end of the stream. Keeps OUT-8.
 */
import { LineText, type TextLine } from './text.ts';
import type { TextChunk, TextChunkOptions } from './text-chunker.ts';

export class LineChunker {
  #text: LineText;
  /** Offsets where the stream jumps over another stream's bytes; LineText counts from its first byte. */
  #jumps: { at: number; offset: number }[] = [];
  #fed = 0;
  #given = 0;

  constructor({ offset = 0 }: Pick<TextChunkOptions, 'offset'> = {}) {
    this.#text = new LineText();
    this.#jumps.push({ at: 0, offset });
  }

  /** Offset of the first byte that was not returned. */
  get offset(): number {
    return this.#offsetOf(this.#given);
  }

  /** Always true: `flush` returns no lines, because an unfinished line may still change. */
  get isEmpty(): boolean {
    return true;
  }

  feed(bytes: Uint8Array, offset: number = this.#offsetOf(this.#fed)): readonly TextChunk[] {
    if (offset !== this.#offsetOf(this.#fed)) this.#jumps.push({ at: this.#fed, offset });
    this.#fed += bytes.length;
    return this.#chunks(this.#text.feed(bytes));
  }

  flush(): readonly TextChunk[] {
    return [];
  }

  end(): readonly TextChunk[] {
    return this.reset(this.#offsetOf(this.#fed));
  }

  /** Ends the present line: the stream continues at `offset`, unrelated to the bytes before. */
  reset(offset: number): readonly TextChunk[] {
    const rest = this.#chunks(this.#text.flush());
    this.#text = new LineText();
    this.#jumps = [{ at: 0, offset }];
    this.#fed = this.#given = 0;
    return rest;
  }

  /** Blank lines are left out: a full-screen program clears and repaints. */
  #chunks(lines: readonly TextLine[]): readonly TextChunk[] {
    const chunks: TextChunk[] = [];
    for (const { text, start, end } of lines) {
      this.#given = end;
      if (text.trim() !== '')
        chunks.push({ data: `${text}\n`, offset: this.#offsetOf(start), end: this.#offsetOf(end - 1) + 1 });
    }
    while (this.#jumps.length > 1 && this.#jumps[1]!.at <= this.#given) this.#jumps.shift();
    return chunks;
  }

  #offsetOf(position: number): number {
    const jump = this.#jumps.findLast(({ at }) => at <= position)!;
    return jump.offset + position - jump.at;
  }
}
