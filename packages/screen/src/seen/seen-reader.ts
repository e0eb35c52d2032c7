/**
 * Reads a session's output as a user saw it: the lines that a terminal would have shown, in their last state, and each
 * full-screen program as one picture. Keeps PAST-1 and PAST-2.
 *
 * A model is fed with the bytes and the sizes. Lines are taken when they are so far above the screen that they can no longer
 * change, and the others at the end. Therefore repainted lines, spinners and progress bars appear in their last state, and memory
 * is bounded, whatever the length of the log.
 *
 * In live mode, a line is taken as soon as the cursor has left it downwards, unless the program repaints; then its rows are taken
 * when they have not changed for a moment.
 */
import type { GridSize } from '../engine/engine.ts';
import { ScreenModel } from '../engine/screen-model.ts';
import { type Break, BreakFinder } from './break-finder.ts';
import { FullScreen } from './full-screen.ts';
import { type Kind, classifyBytes, PlainRun, RUN_LIMITS, type RunLimits } from './plain-run.ts';
import { isReprint } from './reprint.ts';
import { RowFacts } from './row-facts.ts';
import { isBlank, type SeenItem } from './seen-item.ts';
import { SeenRows } from './seen-rows.ts';

export interface SeenReaderOptions {
  /** Whether to return lines with their colours too. */
  readonly isStyled?: boolean;
  /** Whether to return the earlier screens of full-screen programs too. */
  readonly wantsFrames?: boolean;
  /** Whether to notice later changes of a line, so that its time is that of its last change. */
  readonly wantsTimes?: boolean;
  /** Limits for reading lines without the model, for tests; null disables it. */
  readonly plain?: RunLimits | null;
}

/** The number of lines above the screen that are not taken yet, because a larger terminal shows them again, and they may change. */
const KEPT_ROWS = 100;
/** The number of further lines that are taken all at once. */
const TAKEN_ROWS = 256;
/** The size of a piece for the model: so small that it cannot scroll out a line that was not taken. */
const PIECE_BYTES = 4096;
const SCROLLBACK_ROWS = KEPT_ROWS + TAKEN_ROWS + PIECE_BYTES;
const LINE_FEED = 0x0a;
/** The number of lines that wait until it is known whether the program erases them and prints them again. */
const PAGE_LINES_MAX = 10_000;
/** The time in live mode after which unchanged repainted rows are printed. */
export const SETTLE_MS = 1000;

export class SeenReader implements Disposable {
  readonly #take: (item: SeenItem) => void;
  readonly #options: SeenReaderOptions;
  readonly #limits: RunLimits | null;
  readonly #model: ScreenModel;
  readonly #rows: SeenRows;
  readonly #breaks = new BreakFinder();
  readonly #facts = new RowFacts();
  #screen: FullScreen | null = null;
  #run: PlainRun | null = null;
  #at = 0;
  #isLive = false;
  /** Items since the program last erased its screen, not returned yet. */
  #page: SeenItem[] = [];
  /** Blank lines, which are returned with the next item. */
  #blank: SeenItem[] = [];
  /** The items that were erased then. */
  #erased: SeenItem[] = [];
  /** The lines, in live mode, that the program may be printing again. */
  #again = new Set<string>();
  #recent: string[] = [];
  /** The row before which all rows have been returned and can no longer change. */
  #doneTo = 0;
  /** The number of rows that the model has dropped since the facts were last updated. */
  #droppedRows = 0;
  /** The texts of the rows of the screen when they were last read. */
  #seen: string[] = [];
  /** The first row that was repainted a moment ago. */
  #movingFrom = Infinity;
  #movedAt = -Infinity;

  constructor(size: GridSize, take: (item: SeenItem) => void, options: SeenReaderOptions = {}) {
    this.#take = take;
    this.#options = options;
    this.#limits = options.isStyled === true ? null : options.plain === undefined ? RUN_LIMITS : options.plain;
    this.#model = new ScreenModel(size, { scrollback: SCROLLBACK_ROWS });
    this.#rows = new SeenRows(this.#model, (count) => (this.#droppedRows += count));
  }

  /** Starts in the middle of a session, with its screen at that moment: lines on it are not returned unless they change. */
  begin(snapshot: Uint8Array, at: number): void {
    this.#at = at;
    this.#model.write(snapshot);
    const { cursor } = this.#rows;
    this.#facts.reach(cursor, at);
    const open = this.#rows.startOf(cursor);
    this.#droppedRows = 0;
    for (let row = 0; row < this.#rows.count; row++)
      if (row < open || row > cursor) this.#facts.printed[row] = this.#rows.text(row);
    if (this.#model.isAlternate) this.#screen = this.#newScreen(at);
    this.#look();
  }

  write(bytes: Uint8Array, at: number): void {
    const kind = this.#limits === null || this.#isLive ? 'other' : classifyBytes(bytes, this.#run?.lastByte ?? 0);
    if (kind !== 'other') return this.#writePlain(bytes, at, kind);
    this.#endRun();
    this.#write(bytes, at);
  }

  /** Writes plain lines, which need no model, except for the last ones. */
  #writePlain(bytes: Uint8Array, at: number, kind: Kind): void {
    let run = this.#run;
    if (run === null) {
      const start = this.#findPlain(bytes, at);
      if (start === bytes.length) return;
      run = this.#run = new PlainRun(this.#model.size, this.#limits!);
      run.add(bytes.subarray(start), at, kind);
    } else run.add(bytes, at, kind);
    if (run.isFull) this.#takeRun(run);
  }

  /**
   * Writes to the model up to the place from which plain lines can be read without it: the first line end, or the end of a screen
   * of lines.
   */
  #findPlain(bytes: Uint8Array, at: number): number {
    let done = 0;
    for (const lines of [1, this.#model.size.rows]) {
      let start = done;
      for (let line = 0; line < lines && start < bytes.length; line++)
        start = bytes.indexOf(LINE_FEED, start) + 1 || bytes.length;
      this.#write(bytes.subarray(done, start), at);
      done = start;
      if (this.#model.pending().length === 0 && this.#rows.isPlain) return done;
    }
    this.#write(bytes.subarray(done), at);
    return bytes.length;
  }

  #takeRun(run: PlainRun): void {
    const lines = run.take();
    if (lines === null || (lines.length === 0 && run.isTooLong)) return this.#writeRun(run);
    if (lines.length === 0) return;
    // The former content of the screen has scrolled out with these lines, and comes before them.
    const { cursor } = this.#rows;
    this.#printRows(this.#doneTo, cursor);
    this.#doneTo = Math.max(this.#doneTo, cursor);
    for (const item of this.#facts.take(cursor)) this.#give(item);
    for (const line of lines) this.#give(line);
  }

  #endRun(): void {
    if (this.#run !== null) this.#takeRun(this.#run);
    if (this.#run !== null) this.#writeRun(this.#run);
  }

  /** Writes the last lines of the run to the model, which is then in the same state as if it had read all of them. */
  #writeRun(run: PlainRun): void {
    this.#run = null;
    for (const { bytes, at } of run.rest()) this.#write(bytes, at);
    run[Symbol.dispose]();
  }

  #write(bytes: Uint8Array, at: number): void {
    this.#pass(at);
    const breaks = this.#breaks.feed(bytes);
    let from = 0;
    for (const { what, at: index } of breaks) {
      this.#put(bytes.subarray(from, index));
      this.#break(what);
      from = index;
    }
    this.#put(bytes.subarray(from));
    if (this.#isLive) this.#printStill();
  }

  resize(cols: number, rows: number, at: number): void {
    this.#endRun();
    this.#pass(at);
    this.#relay(() => this.#model.resize(cols, rows));
    this.#look();
  }

  /** Returns lines as soon as possible from now on. */
  goLive(): void {
    if (this.#isLive) return;
    this.#endRun();
    this.#isLive = true;
    this.#handOut(this.#erased.splice(0));
    this.#handOut(this.#page.splice(0));
    this.#handOut(this.#blank.splice(0));
    this.#look();
    this.#movingFrom = Infinity;
    this.#printStill();
  }

  /** Called in live mode when no output has come for SETTLE_MS. Repainted rows then count as finished for now. */
  settle(): void {
    this.#movingFrom = Infinity;
    this.#printStill();
    this.#again.clear();
  }

  /** Whether `settle` has rows to print. */
  get isMoving(): boolean {
    return this.#movingFrom !== Infinity || this.#again.size > 0;
  }

  /** Whether a full-screen program is running. */
  get isFullScreen(): boolean {
    return this.#screen !== null;
  }

  /** The unfinished line of the cursor; empty while a program repaints it. */
  get open(): string {
    if (this.#screen !== null || this.#rows.cursor >= this.#movingFrom) return '';
    const { cursor } = this.#rows;
    return this.#rows.lineText(this.#rows.startOf(cursor), cursor + 1);
  }

  /** Returns the rest: the present content of the screen. */
  end(): void {
    this.#endRun();
    const screen = this.#screen?.end(false);
    this.#screen = null;
    if (screen) this.#facts.put(this.#placeOfScreen(), screen);
    this.#printRows(this.#doneTo, this.#rows.end);
    this.#blank = [];
    for (const item of this.#facts.take(Infinity)) this.#give(item);
    this.#turnPage();
    this.#handOut(this.#erased.splice(0));
  }

  /**
   * Returns the lines above the screen that were not returned yet, so that they and the screen are complete. `isCovered`: also
   * the lines of the normal screen, because a full-screen program hides them. Reading may continue afterwards.
   */
  giveAbove({ isCovered = false } = {}): void {
    this.#endRun();
    const to = Math.max(this.#doneTo, isCovered ? this.#rows.end : this.#rows.above);
    this.#printRows(this.#doneTo, to);
    this.#doneTo = to;
    // The programs that have left the full screen during this screen.
    for (const item of this.#facts.take(Infinity)) this.#give(item);
    if (this.#isLive) return;
    const page = this.#page.splice(0);
    const erased = this.#erased.splice(0);
    const shown = this.#screenItems();
    const isDebris = erased.length > 0 && isReprint(erased, [...page, ...shown]);
    this.#handOut(isDebris ? erased.filter(({ type }) => type !== 'line') : erased);
    this.#handOut(page);
    if (shown.some((item) => item.type === 'line' && !isBlank(item.text))) this.#handOut(this.#blank.splice(0));
  }

  [Symbol.dispose](): void {
    this.#run?.[Symbol.dispose]();
    this.#model.dispose();
  }

  /** The model that has been fed. */
  get model(): ScreenModel {
    this.#endRun();
    return this.#model;
  }

  #pass(at: number): void {
    this.#at = Math.max(this.#at, at);
    const frame = this.#screen?.before(this.#at, this.#options.wantsFrames ?? false);
    if (frame) this.#placeNow(frame);
  }

  #put(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const { above, cursor } = this.#rows;
      // A line begins with its first character, not when the cursor reached it.
      if (cursor < this.#facts.at.length && this.#rows.text(cursor) === '') this.#facts.at[cursor] = this.#at;
      this.#model.write(bytes.subarray(at, at + PIECE_BYTES));
      this.#rows.check();
      const dropped = this.#droppedRows;
      this.#followDropped();
      if (this.#model.isAlternate) continue;
      this.#facts.reach(this.#rows.cursor, this.#at);
      this.#notice(Math.max(0, cursor - dropped), Math.max(0, above - dropped));
      this.#takeAbove();
    }
  }

  /** Finds the rows that have been repainted. */
  #notice(cursor: number, above: number): void {
    if (!this.#isLive && this.#options.wantsTimes !== true) return;
    if (!this.#breaks.hasMoved) {
      for (let row = cursor; row <= this.#rows.cursor; row++) this.#seen[row] = this.#rows.text(row);
      return;
    }
    const first = Math.min(above, this.#rows.above);
    for (let row = first; row < this.#rows.count; row++) {
      const text = this.#rows.text(row);
      const was = this.#seen[row];
      if (text === was) continue;
      this.#seen[row] = text;
      if (row < this.#facts.at.length) this.#facts.at[row] = this.#at;
      if (row > cursor && (was ?? '') === '') continue;
      this.#movingFrom = Math.min(this.#movingFrom, row);
      this.#movedAt = this.#at;
    }
  }

  #look(): void {
    if (!this.#isLive && this.#options.wantsTimes !== true) return;
    for (let row = this.#rows.above; row < this.#rows.count; row++) this.#seen[row] = this.#rows.text(row);
  }

  /** Called before the sequence takes effect. */
  #break(what: Break): void {
    const { isAlternate } = this.#model;
    if (what === 'enter') {
      if (this.#screen === null) this.#screen = this.#newScreen(this.#at);
      return;
    }
    if ((what === 'leave' || what === 'reset') && this.#screen !== null) {
      const screen = this.#screen.end(true);
      this.#screen = null;
      if (screen) this.#placeNow(screen);
    }
    if (isAlternate && what !== 'reset') this.#screen?.look();
    else if (what === 'erase' || what === 'reset' || (what === 'erase-below' && this.#isHome)) this.#erase();
  }

  get #isHome(): boolean {
    const { row, col } = this.#model.cursor;
    return row === 0 && col === 0;
  }

  #newScreen(at: number): FullScreen {
    return new FullScreen(this.#model, at, this.#options.isStyled ?? false);
  }

  /** Returns the place of a full-screen program among the rows: before the cursor's row, or after it if that row has text. */
  #placeOfScreen(): number {
    const { cursor } = this.#rows;
    return isBlank(this.#rows.text(cursor)) ? cursor : cursor + 1;
  }

  #placeNow(item: SeenItem): void {
    if (!this.#isLive) return this.#facts.put(this.#placeOfScreen(), item);
    this.#printRows(this.#doneTo, this.#placeOfScreen());
    this.#give(item);
  }

  /** Handles the erasure of the whole screen, before it takes effect. */
  #erase(): void {
    const { end, above } = this.#rows;
    if (end === 0) return;
    this.#printRows(this.#doneTo, end);
    this.#blank = [];
    for (let row = above; row < this.#facts.printed.length; row++) this.#facts.printed[row] = undefined;
    this.#turnPage();
  }

  /** Decides what happens to the items that were erased before, now that the later ones are known. */
  #turnPage(): void {
    if (this.#isLive) {
      this.#again = new Set(this.#recent);
      this.#recent = [];
      return;
    }
    if (this.#page.every((item) => item.type === 'line' && isBlank(item.text))) return;
    this.#resolveErased();
    this.#erased = this.#page.splice(0);
  }

  #resolveErased(): void {
    const erased = this.#erased.splice(0);
    if (erased.length === 0) return;
    this.#handOut(isReprint(erased, this.#page) ? erased.filter(({ type }) => type !== 'line') : erased);
  }

  /** Takes the rows that are far above the screen. */
  #takeAbove(): void {
    const { above } = this.#rows;
    if (above - this.#doneTo < KEPT_ROWS + TAKEN_ROWS) return;
    let count = above - KEPT_ROWS;
    const start = this.#rows.startOf(count);
    // A line that is longer than all kept rows is returned in parts.
    if (start > this.#doneTo) count = start;
    this.#printRows(this.#doneTo, count);
    // The rows stay in the model until it is full: reusing their memory is twice as fast as releasing it.
    this.#doneTo = count;
  }

  /** Updates the facts after the model has dropped its oldest rows, so that the others have moved up. */
  #followDropped(): void {
    const count = this.#droppedRows;
    if (count === 0) return;
    this.#droppedRows = 0;
    this.#facts.drop(count);
    this.#seen.splice(0, count);
    this.#doneTo = Math.max(0, this.#doneTo - count);
    if (this.#movingFrom !== Infinity) this.#movingFrom = Math.max(0, this.#movingFrom - count);
  }

  /** Prints, in live mode, the lines that the cursor has left, above the rows that are being repainted. */
  #printStill(): void {
    if (this.#screen !== null) return;
    if (this.#at - this.#movedAt >= SETTLE_MS) this.#movingFrom = Infinity;
    const { cursor } = this.#rows;
    const to = Math.min(this.#rows.startOf(cursor), this.#movingFrom);
    this.#printRows(this.#doneTo, to);
    this.#doneTo = Math.max(this.#doneTo, Math.min(to, this.#rows.startOf(this.#rows.above)));
  }

  /** Prints the lines in these rows that have not been printed in their present state. */
  #printRows(from: number, to: number): void {
    const { printed } = this.#facts;
    for (let row = from; row < to;) {
      for (const item of this.#facts.take(row)) this.#give(item);
      const end = this.#rows.endOf(row, to);
      if (!this.#isPrinted(row, end)) {
        const text = this.#rows.lineText(row, end).trimEnd();
        const isCut = end === to && this.#rows.isContinued(end);
        const rows = this.#options.isStyled === true ? this.#rows.styled(row, end) : undefined;
        this.#give({ type: 'line', text, at: this.#facts.at[row] ?? this.#at, isCut, ...(rows && { rows }) });
        for (let next = row; next < end; next++) printed[next] = this.#rows.text(next);
      }
      row = end;
    }
  }

  /** Returns whether the rows were printed; also true for a row that was printed once and has been erased since. */
  #isPrinted(from: number, to: number): boolean {
    for (let row = from; row < to; row++) {
      const was = this.#facts.printed[row];
      if (was === undefined) return false;
      const text = this.#rows.text(row);
      if (text !== was && !isBlank(text)) return false;
    }
    return true;
  }

  #give(item: SeenItem): void {
    if (this.#isLive) return this.#giveLive(item);
    if (item.type === 'line' && item.text === '' && !item.isCut && this.#blank.length < PAGE_LINES_MAX) {
      this.#blank.push(item);
      return;
    }
    if (this.#blank.length > 0) this.#page.push(...this.#blank.splice(0));
    this.#page.push(item);
    if (this.#page.length <= PAGE_LINES_MAX + TAKEN_ROWS) return;
    this.#resolveErased();
    this.#handOut(this.#page.splice(0, this.#page.length - PAGE_LINES_MAX));
  }

  #giveLive(item: SeenItem): void {
    if (item.type === 'line' && !isBlank(item.text)) {
      if (this.#again.delete(item.text)) return;
      this.#recent.push(item.text);
      if (this.#recent.length > 2 * PAGE_LINES_MAX) this.#recent.splice(0, PAGE_LINES_MAX);
    }
    this.#take(item);
  }

  #screenItems(): SeenItem[] {
    const found: SeenItem[] = [];
    for (let row = this.#rows.above; row < this.#rows.count; row++)
      found.push({ type: 'line', text: this.#rows.text(row), at: this.#at, isCut: false });
    return found;
  }

  #handOut(items: readonly SeenItem[]): void {
    for (const item of items) {
      if (this.#isLive && item.type === 'line') this.#recent.push(item.text);
      this.#take(item);
    }
  }

  /** Applies a change of size, which lays the lines out again. Their facts are kept by counting lines from the last one. */
  #relay(change: () => void): void {
    const { at, printed } = this.#facts;
    const old: { at: number; isPrinted: boolean }[] = [];
    const oldEnd = this.#rows.end;
    for (let row = 0; row < oldEnd;) {
      const end = this.#rows.endOf(row, oldEnd);
      old.push({ at: at[row] ?? this.#at, isPrinted: printed[row] !== undefined && this.#isPrinted(row, end) });
      row = end;
    }
    change();
    const oldDropped = this.#droppedRows;
    this.#followDropped();
    this.#doneTo = 0;
    const newEnd = this.#rows.end;
    const newAt: number[] = [];
    const newPrinted: (string | undefined)[] = [];
    for (let end = newEnd; end > 0;) {
      const start = this.#rows.startOf(end - 1);
      const known = old.pop();
      for (let row = start; row < end; row++) {
        newAt[row] = known?.at ?? this.#at;
        newPrinted[row] = known?.isPrinted === true ? this.#rows.text(row) : undefined;
      }
      end = start;
    }
    for (let row = newAt.length; row <= this.#rows.cursor; row++) newAt[row] = this.#at;
    this.#facts.replace(newAt, newPrinted, newEnd - oldEnd + oldDropped);
    this.#seen = [];
    this.#movingFrom = Infinity;
  }
}
