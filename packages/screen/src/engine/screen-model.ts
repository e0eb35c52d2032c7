/**
 * A headless terminal: the state that results from a session's output. Keeps ATT-5 and SCR-4.
 *
 * Fed with the bytes and the changes of size, in order, it has every cell, the cursor and the modes at that offset. It
 * never answers a query (the keeper does that, once), never throws at its input, and its memory is bounded by size and
 * scrollback.
 */
import { SCROLLBACK_LINES } from '@spool/protocol';
import { concat, EscapeScanner, INITIAL_MODES, type ModeState, ModeTracker } from '@spool/vt';
import { attributesAt, COLOUR_BITS, Fg } from './attributes.ts';
import { Engine, type EngineBuffer, type GridSize } from './engine.ts';
import { cutBytes } from './cut-character.ts';
import { LinkTable } from './link-table.ts';
import { plainText } from './plain-text.ts';
import { type ScreenLine, screenLine } from '../snapshot/screen-line.ts';

export interface ScreenModelOptions {
  /** The number of lines kept above the screen. A line of 80 cells takes 1 KB. */
  readonly scrollback?: number;
  /** The modes before the first byte, for a model that continues from a keyframe. */
  readonly modes?: ModeState;
}

export interface ScreenCursor {
  readonly row: number;
  readonly col: number;
  /** Whether the cursor is after the last column: the next character is printed on the next line. `col` is then the last one. */
  readonly isWrapPending: boolean;
  readonly isVisible: boolean;
}

const COLS_MIN = 2;
export const COLS_MAX = 1000;
export const ROWS_MAX = 1000;
/**
 * The maximum of bytes that xterm gets at once. Its buffer starts with this size; a larger piece would enlarge the buffer
 * permanently, to four bytes for each byte of the piece.
 */
const PIECE_BYTES = 4096;

export class ScreenModel {
  /** Returns the engine, for the other files of this folder: the snapshot reads its cells. */
  readonly engine: Engine;
  readonly scrollback: number;
  readonly #modes: ModeTracker;
  readonly #scanner: EscapeScanner;
  readonly #links: LinkTable;
  #cut: Uint8Array = NOTHING;
  /** The number of lines that were dropped above the screen. */
  #trimmed = 0;
  #counted: EngineBuffer | undefined;
  /** The parts of the current chunk that the engine must not get: it would keep up to 10 MB of one string. */
  #overlong: { readonly source: Uint8Array; readonly from: number; readonly to: number }[] = [];

  constructor(size: GridSize, options: ScreenModelOptions = {}) {
    this.scrollback = options.scrollback ?? SCROLLBACK_LINES;
    this.engine = new Engine(within(size), this.scrollback);
    this.#modes = new ModeTracker(options.modes ?? INITIAL_MODES);
    this.#scanner = new EscapeScanner({
      onSequence: (sequence) => this.#modes.apply(sequence),
      onOverlongPart: (source, from, to) => this.#overlong.push({ source, from, to }),
    });
    this.#links = new LinkTable(this.engine.core);
    this.#count();
  }

  write(bytes: Uint8Array): void {
    this.#scanner.feed(bytes);
    if (this.#overlong.length === 0) this.#write(bytes);
    else this.#writeWithout(bytes, this.#overlong.splice(0));
  }

  /** Writes bytes without overlong strings, which have no effect: the engine abandons them (CAN) and continues after them. */
  #writeWithout(bytes: Uint8Array, parts: readonly { source: Uint8Array; from: number; to: number }[]): void {
    let at = 0;
    for (const { source, from, to } of parts) {
      if (source !== bytes) continue; // a byte of the chunk before, which the engine has not seen
      if (from > at) this.#write(bytes.subarray(at, from));
      this.#cut = NOTHING; // half a character of the string
      this.draw(CANCEL);
      at = to;
    }
    this.#write(bytes.subarray(at));
  }

  #write(bytes: Uint8Array): void {
    const whole = this.#cut.length === 0 ? bytes : concat(this.#cut, bytes);
    const end = whole.length - cutBytes(whole);
    this.#cut = end === whole.length ? NOTHING : whole.slice(end);
    this.draw(end === whole.length ? whole : whole.subarray(0, end));
  }

  /** Draws our own bytes, not the program's, without tracking modes or incomplete sequences. */
  draw(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const to =
        at + PIECE_BYTES >= bytes.length
          ? bytes.length
          : at + PIECE_BYTES - cutBytes(bytes.subarray(at, at + PIECE_BYTES));
      this.#parse(bytes.subarray(at, to));
      at = to;
    }
    this.#links.sweep();
    this.#count();
  }

  resize(cols: number, rows: number): void {
    const size = within({ cols, rows });
    this.engine.resize(size.cols, size.rows);
  }

  get size(): GridSize {
    return { cols: this.engine.core.cols, rows: this.engine.core.rows };
  }

  get cursor(): ScreenCursor {
    const { cols, coreService } = this.engine.core;
    const { x, y } = this.#buffer;
    return { row: y, col: Math.min(x, cols - 1), isWrapPending: x >= cols, isVisible: !coreService.isCursorHidden };
  }

  /** The modes that the program has set. The engine has the modes that only affect drawing. */
  get modes(): ModeState {
    const { coreService, optionsService } = this.engine.core;
    const { insertMode } = coreService.modes;
    const { origin, wraparound, reverseWraparound } = coreService.decPrivateModes;
    const { state } = this.#modes;
    return Object.freeze({
      ...state,
      insert: insertMode,
      origin,
      wrap: wraparound,
      reverseWrap: reverseWraparound,
      lineFeed: optionsService.rawOptions.convertEol,
      cursorVisible: !coreService.isCursorHidden,
      alternate: this.isAlternate ? state.alternate || 1049 : 0,
    });
  }

  get title(): string {
    return this.#modes.title;
  }

  get isAlternate(): boolean {
    const { active, alt } = this.engine.core.buffers;
    return active === alt;
  }

  /** Returns the number of lines above the screen; `lines` addresses them by negative numbers. */
  get historyLength(): number {
    return this.#buffer.ybase;
  }

  /** Returns the same number for the normal screen, even while the alternate one is shown. */
  get scrolledLines(): number {
    return this.engine.core.buffers.normal.ybase;
  }

  /**
   * Returns the number of lines that have left the normal screen, including those that are no longer kept. Erasing the history does
   * not reduce it.
   */
  get scrolledTotal(): number {
    return this.#trimmed + this.scrolledLines;
  }

  /** The size in memory, as measured: three words for each cell, and the objects around lines and terminal. */
  get estimatedBytes(): number {
    const { normal, alt } = this.engine.core.buffers;
    const lines = normal.lines.length + alt.lines.length;
    return MODEL_BYTES + lines * (LINE_BYTES + this.engine.core.cols * CELL_BYTES);
  }

  /** Returns the visible lines, without trailing blanks. */
  text(): string[] {
    return this.lines().map((line) =>
      line.runs
        .map((run) => run.text)
        .join('')
        .trimEnd(),
    );
  }

  /** Returns the visible lines as plain characters: like `text`, but much cheaper, for frequent use. */
  plainLines(): string[] {
    const { ybase, lines } = this.#buffer;
    const { rows, cols } = this.engine.core;
    const found: string[] = [];
    for (let row = 0; row < rows; row++) {
      const line = lines.get(ybase + row);
      found.push(line === undefined ? '' : plainText(line, cols));
    }
    return found;
  }

  /**
   * Returns the text of the cursor's line in the rows above the cursor: a line that is too long for one row continues in the
   * next.
   */
  textAboveCursor(): string {
    const { ybase, y, lines } = this.#buffer;
    const { cols } = this.engine.core;
    let text = '';
    for (let row = y; row > 0 && lines.get(ybase + row)?.isWrapped === true; row--)
      text = plainText(lines.get(ybase + row - 1)!, cols).padEnd(cols) + text;
    return text;
  }

  /** Returns the background of a cell as a colour word; some buttons show their selection only by their background. */
  backgroundAt(row: number, col: number): number {
    const { ybase, lines } = this.#buffer;
    const line = lines.get(ybase + row);
    if (line === undefined || col < 0 || col >= line.length) return 0;
    const { fg, bg } = attributesAt(line, col);
    return ((fg & Fg.inverse) === 0 ? bg : fg) & COLOUR_BITS;
  }

  /** Returns the lines from `from` up to `to`: 0 is the top of the screen, -1 the line above it. By default the whole screen. */
  lines(from = 0, to: number = this.engine.core.rows): ScreenLine[] {
    const { ybase, lines } = this.#buffer;
    const found: ScreenLine[] = [];
    for (let at = Math.max(0, ybase + from); at < Math.min(lines.length, ybase + to); at++)
      found.push(screenLine(this.engine.core, lines.get(at)!));
    return found;
  }

  /** Returns the bytes of the incomplete sequence or character at the end of the stream. */
  pending(): Uint8Array {
    return this.#scanner.pending;
  }

  dispose(): void {
    this.engine.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Counts dropped lines; a terminal that was reset has new lines. */
  #count(): void {
    const { normal } = this.engine.core.buffers;
    if (normal === this.#counted) return;
    this.#counted = normal;
    normal.lines.onTrim((count) => (this.#trimmed += count));
  }

  get #buffer(): EngineBuffer {
    return this.engine.core.buffers.active;
  }

  #parse(piece: Uint8Array): void {
    try {
      this.engine.parse(piece);
    } catch {
      // An unknown bug of the engine. The picture lacks the rest of the piece; the log has it.
      this.engine.recover();
    }
  }
}

const MODEL_BYTES = 200 * 1024;
const LINE_BYTES = 900;
const CELL_BYTES = 12;
const NOTHING = new Uint8Array(0);
const CANCEL = Uint8Array.of(0x18);

function within({ cols, rows }: GridSize): GridSize {
  return { cols: clamp(cols, COLS_MIN, COLS_MAX), rows: clamp(rows, 1, ROWS_MAX) };
}

const clamp = (value: number, least: number, most: number): number =>
  Math.min(Math.max(Math.trunc(value) || least, least), most);
