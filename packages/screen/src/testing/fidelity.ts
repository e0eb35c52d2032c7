/**
 * Answers the question behind every attach: does a terminal that starts with a snapshot at some offset, and continues with the
 * bytes from there, reach the same state as one that got all bytes? The question is checked at many offsets of a stream: right
 * after painting, some bytes later, and at the end.
 */
import { attributesAt, Bg, Fg, isSameLook } from '../engine/attributes.ts';
import { isCursorPaintable } from '../snapshot/cursor-state.ts';
import type { EngineBuffer, EngineCore, EngineLine } from '../engine/engine.ts';
import { filledCells } from '../snapshot/paint-line.ts';
import { ScreenModel } from '../engine/screen-model.ts';
import { difference } from './difference.ts';
import { TerminalPage } from './page.ts';

export interface Stream {
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
  readonly bytes: Uint8Array;
  readonly resizes: readonly { readonly at: number; readonly cols: number; readonly rows: number }[];
}

export interface PaintMethod {
  /** Returns the bytes that are written into a fresh terminal. */
  paint(model: ScreenModel): Uint8Array;
  /** Whether they include all history. Without it, lines cannot become visible again when the screen grows. */
  readonly withHistory: boolean;
}

export interface Sample {
  readonly offset: number;
  /** The number of bytes after which to check again. */
  readonly later: number;
  readonly toTheEnd: boolean;
}

export interface FidelityReport {
  /** The first failures, each with all data to reproduce it. */
  readonly failures: readonly string[];
  readonly compared: number;
  /** The number of states that no bytes can paint, and of those that they paint except for invisible parts: see `reachOf`. */
  readonly unpaintable: number;
  readonly passing: number;
  readonly bytesMost: number;
}

interface Follower {
  readonly page: TerminalPage;
  readonly sample: Sample;
}

const FAILURES_MAX = 3;

export function followStream(stream: Stream, samples: readonly Sample[], way: PaintMethod): FidelityReport {
  const reference = new TerminalPage(stream);
  const model = new ScreenModel(stream);
  const usesAlternate = /\x1b\[\?(47|1047|1049)h/.test(Buffer.from(stream.bytes).toString('latin1'));
  const failures: string[] = [];
  let followers: Follower[] = [];
  let [compared, unpaintable, passing, bytesMost] = [0, 0, 0, 0];
  const compare = (when: string, { page, sample }: Follower, at: number): boolean => {
    compared++;
    const found = difference(reference.core, page.core, way);
    if (found === undefined) return true;
    const around = JSON.stringify(Buffer.from(stream.bytes.subarray(Math.max(0, at - 60), at)).toString('latin1'));
    failures.push(
      `${stream.name}: snapshot at ${sample.offset}, ${when} (offset ${at}): ${found}\n  before it ${around}`,
    );
    return false;
  };
  let at = 0;
  for (const stop of stopsOf(stream, samples)) {
    const piece = stream.bytes.subarray(at, stop);
    for (const terminal of [reference, model, ...followers.map(({ page }) => page)]) terminal.write(piece);
    at = stop;
    followers = followers.filter((follower) => {
      const { offset, later, toTheEnd } = follower.sample;
      const isGood = at !== offset + later || compare(`${later} bytes later`, follower, at);
      if (isGood && (at < offset + later || toTheEnd)) return true;
      follower.page.dispose();
      return false;
    });
    for (const { cols, rows } of stream.resizes.filter((resize) => resize.at === at)) {
      if (!way.withHistory) {
        for (const { page } of followers) page.dispose();
        followers = [];
      }
      for (const terminal of [reference, model, ...followers.map(({ page }) => page)]) terminal.resize(cols, rows);
    }
    for (const sample of samples) {
      if (sample.offset !== at || failures.length >= FAILURES_MAX) continue;
      const reach = reachOf(reference.core, { ...way, usesAlternate });
      if (reach === 'not at all') unpaintable++;
      if (reach === 'for now') passing++;
      if (reach === 'not at all') continue;
      const follower = { sample, page: new TerminalPage(model.size) };
      const painting = way.paint(model);
      bytesMost = Math.max(bytesMost, painting.length);
      follower.page.write(painting);
      if (compare('painted', follower, at) && reach === 'for good') followers.push(follower);
      else follower.page.dispose();
    }
  }
  for (const follower of followers) compare('at the end', follower, at);
  for (const terminal of [reference, model, ...followers.map(({ page }) => page)]) terminal.dispose();
  return { failures, compared, unpaintable, passing, bytesMost };
}

function stopsOf(stream: Stream, samples: readonly Sample[]): number[] {
  const stops = [
    0,
    stream.bytes.length,
    ...stream.resizes.map(({ at }) => at),
    ...samples.flatMap(({ offset, later }) => [offset, offset + later]),
  ];
  return [...new Set(stops)].filter((stop) => stop <= stream.bytes.length).sort((one, other) => one - other);
}

/** The degree to which a snapshot matches the original: in all visible state, or also in all later states. */
type Reach = 'for good' | 'for now' | 'not at all';

interface Demands {
  readonly withHistory: boolean;
  readonly usesAlternate: boolean;
}

/**
 * States that no bytes, and so no snapshot, can produce: halves of wide characters, cut by a change of size, and some states of
 * pen and cursor (`isCursorPaintable`). If sizes change, also xterm's treatment of invisible lines and positions: saved cursors
 * off the screen; and on the alternate screen cells beyond the margin, from when the terminal was larger.
 */
function reachOf(core: EngineCore, { withHistory, usesAlternate }: Demands): Reach {
  const { normal, alt, active } = core.buffers;
  const painted = active === normal ? [normal] : [normal, alt];
  const isAlternateResizable =
    active === normal ||
    Array.from({ length: core.rows }, (_, row) => alt.lines.get(row)?.length).every((length) => length === core.cols);
  const isResizable =
    isAlternateResizable && painted.every((buffer) => isNeverSaved(buffer) || isSavedInSight(core, buffer));
  const isSavable = painted.every(
    ({ savedCurAttrData: { fg, bg } }) => (fg & Fg.underline) === 0 || (bg & Bg.extended) !== 0,
  );
  // The cursor that was saved on an alternate screen is kept until it is entered the next time.
  const isForgotten = active === alt || !usesAlternate || isNeverSaved(alt);
  const isPaintableNow =
    isSavable && isCursorPaintable(core) && painted.every((buffer) => areCellsPaintable(core, buffer, withHistory));
  if (!isPaintableNow) return 'not at all';
  return (isResizable || !withHistory) && isForgotten ? 'for good' : 'for now';
}

const isSavedInSight = ({ cols, rows }: EngineCore, { savedX, savedY, ybase }: EngineBuffer): boolean =>
  savedX <= cols && savedY >= ybase && savedY < ybase + rows;

const isNeverSaved = ({ savedX, savedY, savedCurAttrData: { fg, bg }, savedCharset }: EngineBuffer): boolean =>
  savedX === 0 && savedY === 0 && fg === 0 && bg === 0 && savedCharset === undefined;

function areCellsPaintable(core: EngineCore, buffer: EngineBuffer, withHistory: boolean): boolean {
  for (let at = withHistory ? 0 : buffer.ybase; at < buffer.ybase + core.rows; at++) {
    const line = buffer.lines.get(at)!;
    for (let col = filledCells(line, core.cols) - 1; col >= 0; col--) {
      if (!isPaintable(core, line, col, core.cols)) return false;
    }
  }
  return true;
}

/** Returns whether printing reproduces this cell exactly. */
function isPaintable(core: EngineCore, line: EngineLine, col: number, cols: number): boolean {
  const text = line.getString(col);
  const width = line.getWidth(col);
  if (text === '') return width === 1 || (col > 0 && line.getWidth(col - 1) === 2 && isHalfOf(line, col));
  return (
    core.unicodeService.wcwidth(text.codePointAt(0)!) === width &&
    (width !== 2 || (col + 1 < cols && line.getWidth(col + 1) === 0))
  );
}

/**
 * Returns whether a cell is the second half of a wide character. If xterm reflows a line, such a cell may lose its attributes;
 * that is invisible, and cannot be painted.
 */
const isHalfOf = (line: EngineLine, col: number): boolean =>
  isSameLook(attributesAt(line, col), attributesAt(line, col - 1));

/** Returns a reproducible random generator: the seed is printed with every failure. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

export function samplesOf(stream: Stream, count: number, random: (below: number) => number): Sample[] {
  const endsMax = Math.max(2, Math.ceil(END_BYTES / Math.max(1, stream.bytes.length)));
  return Array.from({ length: count }, (_, at) => ({
    offset: random(stream.bytes.length + 1),
    later: 1 + random(2000),
    toTheEnd: at < endsMax,
  }));
}

/** The limit in bytes that bounds the number of followers which continue to the end of the stream. */
const END_BYTES = 100_000;
