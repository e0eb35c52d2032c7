/**
 * Returns the lines that a user saw, from raw bytes and without a terminal model: without escapes and erased text, a progress bar
 * in its last state.
 *
 * One line is kept, with a cursor in it: carriage return, backspace, tabs and the CSI that move or erase within a line act on it.
 * Any sequence that leaves the line ends it. For logs, builds and tests the result is exact; full-screen programs need the screen
 * model. Valid UTF-8 gives valid text, at any cut [OUT-2].
 */
import { cellsOf, cellsOfText } from '../scan/character-width.ts';
import { EscapeScanner } from '../scan/escape-scanner.ts';
import { plainLineEnds } from '../scan/plain-lines.ts';
import { paramOf, paramsOf, type Sequence } from '../scan/sequence.ts';
import { Utf8Decoder } from '../scan/utf8.ts';

export interface TextLine {
  readonly text: string;
  /** Absolute offset of the line's first byte, and of the byte after its end. */
  readonly start: number;
  readonly end: number;
}

export interface LineTextOptions {
  readonly offset?: number;
  /** Whether to leave out text of the alternate screen (default: false). */
  readonly skipAlternate?: boolean;
  /**
   * Returns whether a line with this text is needed, for a search. It is called with many lines at once; if it returns false, all
   * of them may be left out.
   */
  readonly isWanted?: (text: string) => boolean;
}

/** A line with more bytes of text than this is returned in pieces. */
export const LINE_BYTES_MAX = 16 * 1024;
/** The last column: text beyond it is dropped. */
const LINE_CELLS_MAX = 16 * 1024;
/** The limit of one cell: a character and the marks that are combined with it. */
const CELL_CHARACTERS_MAX = 32;

/** The smallest chunk that is checked for plain lines; shorter ones are read byte by byte. */
const PLAIN_BYTES_MIN = 1024;
/** Matches everything except printable ASCII and line ends; a carriage return alone moves the cursor back in its line. */
const NOT_PLAIN = /[^\x20-\x7e\r\n]|\r(?!\n)/;
/** Exists in every runtime, but not in the compiler's library without Node or a browser. */
const { TextDecoder } = globalThis as unknown as {
  readonly TextDecoder: new (label: string) => { decode(bytes: Uint8Array): string };
};
const latin1 = new TextDecoder('latin1');
const COLOURS = /\x1b\[[0-9;:]*m/g;
const ESC = 0x1b;
const LF = 0x0a;
const CR = 0x0d;

export class LineText {
  readonly #scanner: EscapeScanner;
  readonly #skipAlternate: boolean;
  readonly #isWanted: ((text: string) => boolean) | undefined;
  readonly #decoder = new Utf8Decoder();
  #lines: TextLine[] = [];
  #start: number;
  #isAlternate = false;
  // The line is a string for as long as it only grows; after the first step back it is an array of cells.
  #grown = '';
  #cells: (string | undefined)[] | undefined;
  #column = 0;
  #width = 0; // the cells of #grown
  #hasContent = false;
  #textBytes = 0; // since the line began

  constructor(options: LineTextOptions = {}) {
    this.#start = options.offset ?? 0;
    this.#skipAlternate = options.skipAlternate ?? false;
    this.#isWanted = options.isWanted;
    this.#scanner = new EscapeScanner(
      {
        onText: (source, from, to, offset) => {
          if (!this.#isSkipping) this.#bytes(source, from, to, offset);
        },
        onControl: (code, offset) => {
          if (this.#isSkipping) return;
          this.#text(this.#decoder.flush());
          this.#control(code, offset);
        },
        onBroken: () => this.#text(this.#decoder.flush()),
        onSequence: (sequence) => {
          if (this.#isSkipping && !isPrivate(sequence)) return;
          this.#text(this.#decoder.flush());
          this.#sequence(sequence);
        },
      },
      { offset: this.#start },
    );
  }

  /** Returns the lines that these bytes have ended. */
  feed(chunk: Uint8Array): readonly TextLine[] {
    if (chunk.length < PLAIN_BYTES_MIN || !this.#passPlain(chunk)) this.#scanner.feed(chunk);
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  /** The line that has not ended yet. */
  get current(): string {
    return this.#lineText();
  }

  /** Ends the stream: returns the last line unless it is empty. */
  flush(): readonly TextLine[] {
    this.#text(this.#decoder.flush());
    if (this.#hasContent) this.#endLine(this.#scanner.offset);
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  /**
   * True on the alternate screen if that is skipped: a full-screen program repaints ten times a second, so only the end is
   * searched for.
   */
  get #isSkipping(): boolean {
    return this.#isAlternate && this.#skipAlternate;
  }

  /** Splits whole lines of printable ASCII at their ends without reading each byte: four times as fast. */
  #passPlain(chunk: Uint8Array): boolean {
    const from = chunk.indexOf(LF) + 1;
    const to = chunk.lastIndexOf(LF) + 1;
    if (to - from < PLAIN_BYTES_MIN) return false;
    this.#scanner.feed(chunk.subarray(0, from));
    const body = chunk.subarray(from, to);
    const isBetween = this.#scanner.isBetween && !this.#isSkipping;
    const isRead = isBetween && (plainLineEnds(body, LF) !== 'no' ? this.#splitPlain(body) : this.#passColoured(body));
    if (!isRead) this.#scanner.feed(body);
    this.#scanner.feed(chunk.subarray(to));
    return true;
  }

  /** Skips plain lines with colours if none of them is needed. */
  #passColoured(body: Uint8Array): boolean {
    if (this.#isWanted === undefined || !body.includes(ESC)) return false;
    const text = latin1.decode(body).replaceAll(COLOURS, '');
    if (NOT_PLAIN.test(text) || this.#isWanted(text)) return false;
    this.#pass(body.length);
    return true;
  }

  #pass(bytes: number): void {
    this.#scanner.pass(bytes);
    this.#start = this.#scanner.offset;
  }

  /** Returns false if a line must be returned in pieces. */
  #splitPlain(body: Uint8Array): boolean {
    const text = latin1.decode(body);
    if (this.#isWanted?.(text) === false) {
      this.#pass(text.length);
      return true;
    }
    const lines: TextLine[] = [];
    const { offset } = this.#scanner;
    for (let from = 0; from < text.length;) {
      const end = text.indexOf('\n', from);
      const textEnd = end > from && text.charCodeAt(end - 1) === CR ? end - 1 : end;
      if (textEnd - from >= LINE_BYTES_MAX) return false;
      lines.push({ text: text.slice(from, textEnd), start: offset + from, end: offset + end + 1 });
      from = end + 1;
    }
    for (const line of lines) this.#lines.push(line);
    this.#pass(text.length);
    return true;
  }

  #bytes(source: Uint8Array, from: number, to: number, offset: number): void {
    for (let at = from; at < to;) {
      const end = Math.min(to, at + LINE_BYTES_MAX - this.#textBytes);
      const isContinued = this.#decoder.isCut;
      const text = this.#decoder.decode(source, at, end);
      // The text has as many units as bytes: it is ASCII, or broken bytes, each of which is one character.
      this.#text(text, !isContinued && text.length === end - at);
      this.#textBytes += end - at;
      if (this.#textBytes === LINE_BYTES_MAX) this.#endLine(offset + end - from);
      at = end;
    }
  }

  #text(text: string, isNarrow = false): void {
    if (text === '' || this.#isSkipping) return;
    this.#hasContent = true;
    if (this.#cells === undefined && this.#column === this.#width) return this.#grow(text, isNarrow);
    for (const character of text) this.#put(character);
  }

  #grow(text: string, isNarrow: boolean): void {
    this.#grown += text;
    this.#width += isNarrow ? text.length : cellsOfText(text);
    this.#column = this.#width;
  }

  #put(character: string): void {
    const cells = this.#asCells();
    const width = cellsOf(character.codePointAt(0)!);
    if (width === 0) {
      const at = cells[this.#column - 1] === '' ? this.#column - 2 : this.#column - 1;
      const base = cells[at];
      if (base !== undefined && base.length < CELL_CHARACTERS_MAX) cells[at] = base + character;
      return;
    }
    if (this.#column >= LINE_CELLS_MAX) return;
    while (cells.length < this.#column) cells.push(undefined);
    // A wide character's second cell is ''. Writing on one half of it blanks the other.
    if (cells[this.#column] === '') cells[this.#column - 1] = ' ';
    if (cells[this.#column + width] === '') cells[this.#column + width] = ' ';
    cells[this.#column] = character;
    if (width === 2) cells[this.#column + 1] = '';
    this.#column += width;
  }

  #control(code: number, offset: number): void {
    switch (code) {
      case 0x08:
        this.#column = Math.max(0, this.#column - 1);
        return;
      case 0x09:
        return this.#moveTo(8 * (Math.floor(this.#column / 8) + 1));
      case 0x0a:
      case 0x0b:
      case 0x0c:
        return this.#endLine(offset + 1);
      case 0x0d:
        this.#column = 0;
        return;
    }
  }

  #sequence(sequence: Sequence): void {
    if (sequence.kind === 'csi') return this.#csi(sequence);
    // IND, NEL, RI, DECRC, RIS
    if (
      sequence.kind === 'escape' &&
      sequence.intermediate === 0 &&
      'DEM8c'.includes(String.fromCharCode(sequence.final))
    )
      this.#leaveLine(sequence.end, 0);
  }

  #csi(sequence: Sequence): void {
    if (sequence.prefix === 0x3f) return this.#privateMode(sequence);
    if (sequence.prefix !== 0 || sequence.intermediate !== 0) return;
    const count = Math.min(LINE_CELLS_MAX, Math.max(1, paramOf(sequence, 0, 1)));
    switch (String.fromCharCode(sequence.final)) {
      case 'C':
      case 'a':
        return this.#moveTo(this.#column + count);
      case 'D':
        return this.#moveTo(this.#column - count);
      case 'G':
      case '`':
        return this.#moveTo(count - 1);
      case 'K':
        return this.#eraseInLine(paramOf(sequence, 0, 0));
      case 'X':
        return this.#erase(this.#column, this.#column + count);
      case 'P':
        this.#asCells().splice(this.#column, count);
        return;
      case '@':
        if (this.#column < this.#asCells().length)
          this.#asCells().splice(this.#column, 0, ...Array<undefined>(count).fill(undefined));
        this.#asCells().length = Math.min(this.#asCells().length, LINE_CELLS_MAX);
        return;
      case 'A':
      case 'B':
      case 'd':
      case 'e':
        return this.#leaveLine(sequence.end, this.#column);
      case 'E':
      case 'F':
        return this.#leaveLine(sequence.end, 0);
      case 'H':
      case 'f':
        return this.#leaveLine(sequence.end, Math.min(LINE_CELLS_MAX, Math.max(1, paramOf(sequence, 1, 1))) - 1);
      case 'J':
        if (paramOf(sequence, 0, 0) === 0) this.#eraseInLine(0);
        else this.#leaveLine(sequence.end, this.#column);
        return;
    }
  }

  #privateMode(sequence: Sequence): void {
    const isSet = sequence.final === 0x68;
    if (!isSet && sequence.final !== 0x6c) return;
    if (!paramsOf(sequence).some((mode) => mode === 47 || mode === 1047 || mode === 1049)) return;
    this.#leaveLine(sequence.end, 0);
    this.#isAlternate = isSet;
  }

  #moveTo(column: number): void {
    this.#column = Math.max(0, Math.min(column, LINE_CELLS_MAX - 1));
  }

  #eraseInLine(how: number): void {
    if (how === 0) this.#truncate(this.#column);
    else if (how === 1) this.#erase(0, this.#column + 1);
    else if (how === 2) this.#truncate(0);
  }

  #truncate(column: number): void {
    if (this.#cells === undefined && column >= this.#width) return;
    const cells = this.#asCells();
    if (cells[column] === '') cells[column - 1] = undefined;
    cells.length = Math.min(cells.length, column);
  }

  #erase(from: number, to: number): void {
    const cells = this.#asCells();
    for (let at = from; at < to && at < cells.length; at++) cells[at] = undefined;
  }

  #asCells(): (string | undefined)[] {
    if (this.#cells !== undefined) return this.#cells;
    const cells: (string | undefined)[] = [];
    for (const character of this.#grown) {
      const width = cellsOf(character.codePointAt(0)!);
      if (width === 0 && cells.length > 0) {
        const at = cells.at(-1) === '' ? cells.length - 2 : cells.length - 1;
        if (cells[at]!.length < CELL_CHARACTERS_MAX) cells[at] += character;
      } else {
        cells.push(character);
        if (width === 2) cells.push('');
      }
    }
    this.#cells = cells;
    this.#grown = '';
    return cells;
  }

  #lineText(): string {
    if (this.#cells === undefined) return this.#grown;
    let length = this.#cells.length;
    while (length > 0 && this.#cells[length - 1] === undefined) length--;
    let text = '';
    for (let at = 0; at < length; at++) text += this.#cells[at] ?? ' ';
    return text;
  }

  /** Ends the line, unless it is empty: the cursor moved elsewhere. */
  #leaveLine(end: number, column: number): void {
    if (this.#hasContent) this.#endLine(end);
    this.#start = end;
    this.#moveTo(column);
  }

  #endLine(end: number): void {
    this.#lines.push({ text: this.#lineText(), start: this.#start, end });
    this.#start = end;
    this.#grown = '';
    this.#cells = undefined;
    this.#column = 0;
    this.#width = 0;
    this.#hasContent = false;
    this.#textBytes = 0;
  }
}

const isPrivate = ({ kind, prefix }: Sequence): boolean => kind === 'csi' && prefix === 0x3f;
