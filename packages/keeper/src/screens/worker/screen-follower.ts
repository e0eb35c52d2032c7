/**
 * Follows one running session: keeps a model of its terminal a moment behind the log, answers its program's queries at
 * the exact byte of the query, and writes keyframes on the way. Keeps QRY-1, SCR-7 and SCR-8.
 *
 * It also passes the output to the session's status tracker, and never delays other work. When a flood outruns it, it skips to the
 * present: it still reads modes, queries and events in the skipped output (which is fast). Only the picture starts from scratch,
 * and counts as inexact until it is certain again.
 */
import { Log } from '@spool/store';
import { cursorLineOf, FastReplay, ScreenModel } from '@spool/screen';
import { type Size, type TerminalColours, VERSION } from '@spool/protocol';
import {
  answerQuery,
  type BaseColours,
  DEFAULT_COLOURS,
  type OscEvent,
  type FollowOptions,
  OutputFollower,
  parseColour,
  type Query,
  restore,
  type Rgb,
} from '@spool/vt';
import type { ScreenView } from '@spool/status';
import { type CpuClock, DrawingCost, REPLAY_MS_MAX } from './drawing-cost.ts';
import type { Follower } from './follower.ts';
import type { StatusTracker } from '../insight/status-tracker.ts';
import { READ_BUFFER, READ_BYTES } from './read-buffer.ts';
import {
  COSTLY_FLOOD_KEYFRAME_EVERY_BYTES,
  FLOOD_KEYFRAME_EVERY_BYTES,
  KEYFRAME_APART_BYTES,
  KEYFRAME_EVERY_BYTES,
  Keyframes,
} from './keyframes.ts';
import type { TerminalSource } from '../messages.ts';
import { MissingOutput } from './missing-output.ts';
import { keep, LIVE_SCROLLBACK_LINES, modelAt, modelBefore, type PastModel } from './timeline.ts';
import { steadyNow } from '../steady-clock.ts';

const NOTHING = new Uint8Array(0);

/** The limits of one turn: some milliseconds, so that other sessions do not wait. */
const TURN_BYTES = 256 * 1024;
const TURN_MS = 10;

/** The distance from the present above which the model skips; it starts again this much before the present. */
const SKIP_BEHIND_BYTES = 4 * 1024 * 1024;
const PICTURE_BYTES = 512 * 1024;
/**
 * The number of bytes skipped in one turn: they are not painted, but a megabyte of only OSC events still takes a tenth of a second.
 */
const SKIP_BYTES = 1024 * 1024;

/** The bytes in one turn from which on lines that scroll away at once are not drawn. */
const FAST_BYTES = 16 * 1024;

/** The cell size for a terminal that did not report one: programs would block without an answer, and this is a common size. */
const CELL_PIXELS = { width: 8, height: 16 };

export interface FollowerEvents {
  onAnswers(bytes: Uint8Array, upTo: number): void;
  onFocusMode(reportsFocus: boolean): void;
  /** Called when the first bytes are about to be read, from this offset on. */
  beginTracking(from: number): StatusTracker;
}

export class ScreenFollower implements Follower {
  readonly source: TerminalSource;
  readonly keyframes: Keyframes;
  readonly #events: FollowerEvents;
  readonly #resizes: { readonly offset: number; readonly size: Size }[] = [];
  #log: Log | null = null;
  #follower: OutputFollower | null = null;
  #model: ScreenModel | null = null;
  /**
   * The replay during a turn, which draws only the lines that are still visible at its end. Queries and events are not
   * plain text, so the model is up to date when one occurs.
   */
  #replay: FastReplay | null = null;
  #colours: BaseColours = DEFAULT_COLOURS;
  #size: Size;
  #offset: number;
  #target: number;
  #grownAt = 0;
  #writtenAt = 0;
  readAt = 0;
  holdsFiles = false;
  #answeredTo: number;
  #exactFrom = 0;
  #missing = new MissingOutput();
  /** The cost of a replay from the last keyframe to the present offset. */
  readonly #cost: DrawingCost;
  #answers: Uint8Array[] = [];
  #reportsFocus = false;
  #tracker: StatusTracker | null = null;
  /** The scrolled lines that dropped models have counted, except those that the next model counts again. */
  #scrolled = 0;
  /** The chunk being read, and its offset. */
  #chunk: Uint8Array = NOTHING;
  #chunkAt = 0;

  /** Costs almost no memory until there is output: most sessions are idle most of the time. */
  constructor(source: TerminalSource, end: number, answeredTo: number, events: FollowerEvents, cpuMs?: CpuClock) {
    this.source = source;
    this.#cost = new DrawingCost(cpuMs);
    this.#events = events;
    this.keyframes = new Keyframes(source.folder);
    this.#size = source.firstSize;
    this.#offset = answeredTo;
    this.#target = end;
    this.#answeredTo = answeredTo;
  }

  get tracker(): StatusTracker | null {
    return this.#tracker;
  }

  get id(): string {
    return this.source.id;
  }

  get log(): Log {
    this.holdsFiles = true;
    this.#log ??= Log.open(`${this.source.folder}/log`, { readOnly: true, readInto: READ_BUFFER });
    return this.#log;
  }

  get offset(): number {
    return this.#offset;
  }

  get isBehind(): boolean {
    return this.#offset < this.#target;
  }

  get isExact(): boolean {
    return this.#offset >= this.#exactFrom;
  }

  get modelBytes(): number {
    return this.#model?.estimatedBytes ?? 0;
  }

  grown(end: number, at: number): void {
    if (end > this.#target) this.readAt = steadyNow();
    this.#target = Math.max(this.#target, end);
    this.#grownAt = at;
  }

  resized(offset: number, size: Size): void {
    this.#resizes.push({ offset, size });
    this.#applyResizes();
  }

  setColours(colours: TerminalColours): void {
    this.#colours = baseColours(colours);
    this.#follower?.colours.rebase(this.#colours);
  }

  /** The number of lines that have left the screen, as far as models of this follower have counted them. */
  get scrolled(): number {
    return this.#scrolled + (this.#model?.scrolledTotal ?? 0);
  }

  /** Returns the model at its present offset. */
  moment(): PastModel {
    const model = this.#present();
    return { model, offset: this.#offset, missing: this.#missing };
  }

  /** Returns the screen as a user would see it. */
  view(): ScreenView {
    const model = this.#present();
    const { row, col, isVisible } = model.cursor;
    return {
      lines: model.plainLines(),
      cursor: { row, col },
      textAboveCursor: model.textAboveCursor(),
      isCursorVisible: isVisible,
      isAlternate: model.isAlternate,
      title: model.title,
      backgroundAt: (at, column) => model.backgroundAt(at, column),
    };
  }

  begin(): StatusTracker {
    return (this.#tracker ??= this.#events.beginTracking(this.#offset));
  }

  /** Continues to read for one turn. */
  turn(): void {
    // The thread may read output late. It uses the time at which the output was written, so that timeouts are not late as well.
    const now = steadyNow();
    this.#writtenAt = Math.min(now, this.#grownAt || now);
    this.#awake();
    this.begin();
    const isKept = this.#sinceKeyframe < this.#floodKeyframeEveryBytes;
    if (this.#isFarBehind && isKept) this.#skip(Math.min(this.#target - PICTURE_BYTES, this.#offset + SKIP_BYTES));
    if (!this.#isFarBehind || !isKept) this.#paint();
    this.#tellAnswers();
    this.#keep();
  }

  /** Drops the model: it can be rebuilt from the last keyframe. */
  drop(): void {
    if (!this.#model) return;
    if (this.isExact && this.#sinceKeyframe >= KEYFRAME_APART_BYTES) keep(this.keyframes, this.moment(), this.#cost);
    this.#scrolled = this.scrolled;
    this.#model.dispose();
    this.#model = null;
    this.releaseFiles();
  }

  releaseFiles(): void {
    this.#log?.release();
    this.holdsFiles = false;
  }

  close(): void {
    this.#model?.dispose();
    this.#model = null;
    this.#log?.close();
  }

  /** The distance between two keyframes in a flood that is skipped: a replay must not take long, and exact pictures must be few. */
  get #floodKeyframeEveryBytes(): number {
    const { sinceMs } = this.#cost;
    const isNear = sinceMs + this.#cost.msOf(SKIP_BYTES + PICTURE_BYTES) < REPLAY_MS_MAX;
    return isNear ? FLOOD_KEYFRAME_EVERY_BYTES : COSTLY_FLOOD_KEYFRAME_EVERY_BYTES;
  }

  /** The number of bytes from the last keyframe to the present offset. */
  get #sinceKeyframe(): number {
    return this.#offset - (this.keyframes.last ?? this.log.start);
  }

  /** Returns whether the model keeps fewer lines above the screen than requested, and the log has more. */
  lacksHistory(lines: number): boolean {
    if (lines <= LIVE_SCROLLBACK_LINES) return false;
    const { scrolledLines, scrollback } = this.#present();
    return lines > scrolledLines && scrolledLines >= scrollback;
  }

  get #isFarBehind(): boolean {
    return this.#target - this.#offset > SKIP_BEHIND_BYTES;
  }

  #paint(): void {
    const until = Math.min(this.#target, this.#offset + TURN_BYTES);
    if (until - this.#offset >= FAST_BYTES) this.#replay = new FastReplay(this.#model!);
    try {
      this.#paintUntil(until);
      this.#settle();
    } finally {
      this.#replay = null;
    }
  }

  #paintUntil(until: number): void {
    const isOver = this.#cost.sinceMs + TURN_MS;
    while (this.#offset < until && this.#cost.sinceMs < isOver) {
      this.#applyResizes();
      const before = Math.min(until, this.#resizes[0]?.offset ?? Infinity);
      const piece = Math.min(READ_BYTES, this.#cost.pieceOf(TURN_MS));
      const read = this.log.read(this.#offset, Math.min(piece, before - this.#offset));
      if (read.type !== 'bytes') {
        // The end comes before the target: the bytes were announced, but are missing. The files were deleted, perhaps with the
        // session.
        const to = read.type === 'gap' ? read.to : this.#target;
        this.#passGap(to);
        this.#tracker!.skipped(to);
        continue;
      }
      this.#feed(this.#follower!, this.#model!, read.bytes);
    }
    this.#applyResizes();
  }

  /** Notes that the model shows all output up to the present offset. */
  #settle(): void {
    if (this.#replay) this.#cost.draw(0, () => this.#replay?.settle());
  }

  /** Returns the model at the present. If no output has been followed yet, it starts at an earlier keyframe. */
  #present(): ScreenModel {
    const isFirst = this.#follower === null;
    this.#awake();
    if (isFirst) while (this.isBehind) this.turn();
    this.#settle();
    return this.#model!;
  }

  /** Rebuilds the model and its reader from the nearest keyframe if they were dropped. */
  #awake(): void {
    if (!this.#model) {
      // Queries in this part have been answered before.
      const { model, missing } = this.#follower
        ? modelAt(this.log, this.keyframes, this.#offset, this.source.firstSize)
        : this.#begin();
      this.#model = model;
      this.#missing = missing;
      model.resize(this.#size.cols, this.#size.rows);
      this.#scrolled -= model.scrolledTotal;
    }
    this.#follower ??= this.#reader({ modes: this.#model.modes, pending: this.#model.pending() });
  }

  #reader(at: Pick<FollowOptions, 'modes' | 'pending'>): OutputFollower {
    return new OutputFollower(
      { onQuery: (query) => this.#answer(query), onOscEvent: (fact) => this.#fact(fact) },
      { offset: this.#offset, colours: this.#colours, ...at },
    );
  }

  #fact(fact: OscEvent): void {
    const tracker = this.#tracker;
    if (!tracker) return;
    tracker.fact(fact, steadyNow());
    // The text before the cursor at this exact byte is the prompt; text after it is typed.
    if (fact.type !== 'prompt-end' || !this.#model) return;
    this.#paintTo(this.#model, fact.end);
    tracker.promptEnded(cursorLineOf(this.#model).before);
  }

  /** Handles a gap: a sequence that started before it does not continue after it; the modes stay as last known. */
  #passGap(to: number): void {
    this.#missing.add(this.#offset, to);
    this.#offset = to;
    this.#follower = this.#reader({ modes: this.#follower!.modes.state });
  }

  /** Starts with the first bytes: at the keyframe before the last answer, so that no later query is missed. */
  #begin(): PastModel {
    const moment = modelBefore(this.log, this.keyframes, this.#answeredTo, this.source.firstSize);
    this.#offset = moment.offset;
    this.#size = moment.model.size;
    this.#resizes.unshift(...resizesBetween(this.log, moment.offset, this.#resizes[0]?.offset ?? this.#target));
    return moment;
  }

  #feed(follower: OutputFollower, model: ScreenModel, bytes: Uint8Array): void {
    this.#chunk = bytes;
    this.#chunkAt = this.#offset;
    follower.feed(bytes);
    this.#paintTo(model, this.#chunkAt + bytes.length);
    this.#tracker!.output(bytes, this.#offset, this.#writtenAt);
    const { focusReports } = follower.modes;
    if (focusReports === this.#reportsFocus) return;
    this.#reportsFocus = focusReports;
    this.#events.onFocusMode(focusReports);
  }

  /** Paints up to `offset`, within the chunk being read. */
  #paintTo(model: ScreenModel, offset: number): void {
    if (offset <= this.#offset) return;
    const bytes = this.#chunk.subarray(this.#offset - this.#chunkAt, offset - this.#chunkAt);
    this.#cost.draw(bytes.length, () => (this.#replay ?? model).write(bytes));
    this.#offset = offset;
  }

  #answer(query: Query): void {
    if (query.end <= this.#answeredTo) return;
    if (this.#model) this.#paintTo(this.#model, query.end);
    this.#answeredTo = query.end;
    const { cols, rows, widthPx, heightPx } = this.#size;
    const cursor = this.#model?.cursor ?? { row: 0, col: 0 };
    const bytes = answerQuery(query, {
      cursor: { row: cursor.row + 1, column: cursor.col + 1 },
      modes: this.#follower!.modes.state,
      size: { rows, columns: cols },
      cellPixels:
        widthPx && heightPx ? { width: Math.round(widthPx / cols), height: Math.round(heightPx / rows) } : CELL_PIXELS,
      colours: this.#follower!.colours,
      version: VERSION,
    });
    if (bytes) this.#answers.push(bytes);
  }

  #tellAnswers(): void {
    if (this.#answers.length === 0) return;
    this.#events.onAnswers(Buffer.concat(this.#answers.splice(0)), this.#answeredTo);
  }

  #applyResizes(): void {
    while (this.#resizes[0] && this.#resizes[0].offset <= this.#offset) {
      this.#size = this.#resizes.shift()!.size;
      this.#settle();
      this.#model?.resize(this.#size.cols, this.#size.rows);
    }
  }

  /** Continues to read without painting, and starts a new picture shortly before the present. */
  #skip(to: number): void {
    this.#cost.pass(to - this.#offset);
    this.#model!.dispose();
    this.#model = null;
    while (this.#offset < to) {
      const read = this.log.read(this.#offset, Math.min(READ_BYTES, to - this.#offset));
      if (read.type !== 'bytes') this.#passGap(read.type === 'gap' ? read.to : to); // the bytes are missing, as in #paint
      else {
        this.#follower!.feed(read.bytes);
        this.#offset += read.bytes.length;
      }
    }
    this.#applyResizes();
    this.#model = new ScreenModel(this.#size, { scrollback: LIVE_SCROLLBACK_LINES });
    this.#model.write(restore(this.#follower!.modes.state));
    this.#model.write(this.#follower!.pending);
    this.#exactFrom = this.#offset + PICTURE_BYTES / 2;
    this.#tracker!.skipped(this.#offset);
  }

  #keep(): void {
    if (!this.#model || !this.isExact) return;
    if (this.#sinceKeyframe < KEYFRAME_EVERY_BYTES && this.#cost.sinceMs < REPLAY_MS_MAX - TURN_MS) return;
    keep(this.keyframes, this.moment(), this.#cost);
    this.keyframes.dropBefore(this.log.start);
  }
}

function resizesBetween(log: Log, from: number, to: number): { offset: number; size: Size }[] {
  return [...log.marks(from, to)]
    .filter((mark) => mark.type === 'resize')
    .map(({ offset, cols, rows }) => ({ offset, size: { cols, rows } }));
}

function baseColours({ foreground, background, cursor }: TerminalColours): BaseColours {
  const told = (colour: string | undefined): Rgb | undefined =>
    colour === undefined ? undefined : parseColour(colour);
  return {
    foreground: told(foreground) ?? DEFAULT_COLOURS.foreground,
    background: told(background) ?? DEFAULT_COLOURS.background,
    cursor: told(cursor),
  };
}
