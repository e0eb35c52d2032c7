/**
 * Reads a run of plain lines: printed text, tabs, colours and line ends, but no moves of the cursor to another line. On the last
 * row of a screen, such lines scroll up one by one, and the visible text of each is known without a model of the screen. This is
 * ten times as fast as the model. Keeps PAST-9.
 *
 * The lines at the end are kept as bytes, because later output may change them: the reader writes them to its model when the run
 * ends. They are more than the rows of the tallest screen, so that a screen that grows finds its lines.
 */
import { isUtf8 } from 'node:buffer';
import { plainLineEnds } from '@spool/vt';
import type { GridSize } from '../engine/engine.ts';
import { ROWS_MAX, ScreenModel } from '../engine/screen-model.ts';
import type { SeenText } from './seen-item.ts';
import { SeenRows } from './seen-rows.ts';

export interface TimedBytes {
  readonly bytes: Uint8Array;
  readonly at: number;
}

export interface RunLimits {
  /** The size of a run at which lines are returned. */
  readonly bytes: number;
  /** The size at which the model reads a run with too few lines, which are then very long. */
  readonly bytesMax: number;
  /** The number of lines that are kept as bytes. */
  readonly lines: number;
}

/** Limits for the tallest screen, and the lines above it that may still change. */
export const RUN_LIMITS: RunLimits = { bytes: 512 * 1024, bytesMax: 4 * 1024 * 1024, lines: ROWS_MAX + 100 };

/** The number of rows of one line; the reader returns a longer line in parts. */
const LINE_ROWS_MAX = 100;
const TAB_CELLS = 8;
const LF = 0x0a;
const CR = 0x0d;

/** `simple`: printable ASCII and line ends only. `plain`: also tabs, colours, carriage returns and other characters. */
export type Kind = 'simple' | 'plain' | 'other';

const ESC = 0x1b;
/** Matches all controls but tab, line feed, carriage return and escape. */
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]/;
const BARE_LF = /[^\r]\n/;
const NO_COLOUR = /\x1b(?!\[[0-9;:]{0,64}m)/;
const COLOURS = /\x1b\[[0-9;:]*m/g;
const NOT_PRINTED = /[^\x20-\x7e]/;
/** Matches the controls U+0080 to U+009F, as UTF-8. */
const C1 = /\xc2[\x80-\x9f]/;
const NOT_ASCII = /[\x80-\xff]/;

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

/**
 * Returns the kind of these bytes. `before` is the byte before them. `other` means controls, escape sequences except colours, and
 * a line feed without a carriage return, which stays in its column.
 */
export function classifyBytes(bytes: Uint8Array, before: number): Kind {
  if (plainLineEnds(bytes, before) === 'crlf') return 'simple';
  const text = latin1(bytes);
  if (CONTROL.test(text)) return 'other';
  if ((bytes[0] === LF && before !== CR) || BARE_LF.test(text)) return 'other';
  if (text.includes('\x1b') && NO_COLOUR.test(text)) return 'other';
  return 'plain';
}

/** Returns the colour sequences that are in effect after these bytes; those before a reset are left out. */
export function colourSequences(bytes: Uint8Array): string {
  if (!bytes.includes(ESC)) return '';
  const text = latin1(bytes);
  const reset = Math.max(text.lastIndexOf('\x1b[0m'), text.lastIndexOf('\x1b[m'), 0);
  return (text.slice(reset).match(COLOURS) ?? []).join('');
}

/** Returns whether the bytes contain a control of U+0080 to U+009F, as UTF-8. */
export function hasC1(bytes: Uint8Array): boolean {
  return C1.test(latin1(bytes));
}

export class PlainRun implements Disposable {
  readonly #cols: number;
  readonly #limits: RunLimits;
  #pieces: TimedBytes[] = [];
  #size = 0;
  #isSimple = true;
  #scratch: { readonly model: ScreenModel; readonly rows: SeenRows } | undefined;

  constructor({ cols }: GridSize, limits: RunLimits) {
    this.#cols = cols;
    this.#limits = limits;
  }

  add(bytes: Uint8Array, at: number, kind: Kind): void {
    if (bytes.length === 0) return;
    if (kind !== 'simple') this.#isSimple = false;
    // Times never decrease.
    this.#pieces.push({ bytes, at: Math.max(at, this.#pieces.at(-1)?.at ?? at) });
    this.#size += bytes.length;
  }

  /** Whether the run is long enough to take lines. */
  get isFull(): boolean {
    return this.#size >= this.#limits.bytes;
  }

  get isTooLong(): boolean {
    return this.#size >= this.#limits.bytesMax;
  }

  get lastByte(): number {
    return this.#pieces.at(-1)?.bytes.at(-1) ?? LF;
  }

  /** Takes the lines that can no longer change; null if the model must read them. */
  take(): readonly SeenText[] | null {
    const all = Buffer.concat(this.#pieces.map(({ bytes }) => bytes));
    let end = all.lastIndexOf(LF);
    for (let kept = 0; kept < this.#limits.lines && end > 0; kept++) end = all.lastIndexOf(LF, end - 1);
    if (end <= 0) return [];
    const body = all.subarray(0, end + 1);
    const text = body.toString('latin1');
    const isSimple = this.#isSimple;
    if (!isSimple && NOT_ASCII.test(text) && (!isUtf8(body) || C1.test(text))) return null;
    const lines = text.split('\r\n');
    lines.pop(); // the position after the last line end
    const found: SeenText[] = [];
    const times = new Times(this.#pieces);
    let from = 0;
    for (const line of lines) {
      const cells = isSimple || !line.includes('\t') ? line.length : TAB_CELLS * line.length;
      if (cells > LINE_ROWS_MAX * this.#cols) return null;
      const to = from + line.length + 2;
      let at = times.of(from);
      // The first visible character of a line may be in a later piece.
      while (times.end < to && this.#isBlank(line.slice(0, times.end - from))) at = times.next();
      const shown = isSimple ? line : this.#textOf(line);
      found.push({ type: 'line', text: shown.trimEnd(), at, isCut: false });
      from = to;
    }
    this.#keepFrom(body.length);
    return found;
  }

  /** Returns the rest, to be written to the model. */
  rest(): readonly TimedBytes[] {
    return this.#pieces;
  }

  [Symbol.dispose](): void {
    this.#scratch?.model.dispose();
  }

  #keepFrom(start: number): void {
    let skip = start;
    const kept: TimedBytes[] = [];
    for (const { bytes, at } of this.#pieces) {
      if (skip < bytes.length) kept.push({ bytes: bytes.subarray(skip), at });
      skip = Math.max(0, skip - bytes.length);
    }
    this.#pieces = kept;
    this.#size -= start;
  }

  #textOf(line: string): string {
    if (!NOT_PRINTED.test(line)) return line;
    const bare = line.replaceAll(COLOURS, '');
    if (!NOT_PRINTED.test(bare)) return bare;
    return bare.includes('\r') || NOT_ASCII.test(bare) ? this.#modelled(line) : this.#withTabs(bare);
  }

  /** Expands tabs: they move to the next stop, at most to the last column, and do not wrap. */
  #withTabs(line: string): string {
    const cols = this.#cols;
    let col = 0;
    let text = '';
    for (const [index, part] of line.split('\t').entries()) {
      if (index > 0 && col < cols) {
        const stop = Math.min(col - (col % TAB_CELLS) + TAB_CELLS, cols - 1);
        text += ' '.repeat(stop - col);
        col = stop;
      }
      text += part;
      if (part.length > 0) col = ((col + part.length - 1) % cols) + 1;
    }
    return text;
  }

  /** Reads a line with wide and combined characters, or overprinted text, with a model of this line alone. */
  #modelled(line: string): string {
    const { model, rows } = this.#scratchModel();
    const start = rows.cursor;
    model.write(Buffer.from(line, 'latin1'));
    const text = rows.lineText(start, rows.endOf(start, rows.count));
    model.write(CLEAR);
    return text;
  }

  /** Returns whether no character of the line is on the screen after these bytes. */
  #isBlank(begun: string): boolean {
    const bare = begun.replaceAll(COLOURS, '');
    if (/[\x20-\x7e]/.test(bare)) return false;
    if (!NOT_ASCII.test(bare)) return true;
    const { model, rows } = this.#scratchModel();
    const start = rows.cursor;
    model.write(Buffer.from(begun, 'latin1'));
    const isBlank = rows.cursor === start && rows.text(start) === '';
    model.write(CLEAR);
    return isBlank;
  }

  #scratchModel(): { readonly model: ScreenModel; readonly rows: SeenRows } {
    if (this.#scratch === undefined) {
      const model = new ScreenModel({ cols: this.#cols, rows: LINE_ROWS_MAX + 20 }, { scrollback: 0 });
      this.#scratch = { model, rows: new SeenRows(model, () => {}) };
    }
    return this.#scratch;
  }
}

/** CAN for half a character, then home and erase. */
const CLEAR = Buffer.from('\x18\x1b[m\x1b[H\x1b[2J');

/** Finds the time of a line: that of its first visible character, or of its end if it has none. */
class Times {
  readonly #ends: { readonly end: number; readonly at: number }[] = [];
  #index = 0;

  constructor(pieces: readonly TimedBytes[]) {
    let end = 0;
    for (const { bytes, at } of pieces) this.#ends.push({ end: (end += bytes.length), at });
  }

  /** Returns the time of the piece with this byte. Calls must be in order. */
  of(from: number): number {
    while (this.end <= from) this.#index++;
    return this.#ends[this.#index]!.at;
  }

  /** The end of that piece. */
  get end(): number {
    return this.#ends[this.#index]!.end;
  }

  next(): number {
    return this.#ends[++this.#index]!.at;
  }
}
