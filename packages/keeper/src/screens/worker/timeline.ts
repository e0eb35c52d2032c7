/**
 * Brings a model to any offset of its log, from the nearest keyframe before it and the bytes and resizes between. Only
 * the keyframes are stored, and those can be rebuilt.
 */
import type { Log } from '@spool/store';
import { encodeKeyframe, FastReplay, restoreModel, ScreenModel, type GridSize as ScreenSize } from '@spool/screen';
import { DrawingCost } from './drawing-cost.ts';
import type { Keyframes } from './keyframes.ts';
import { MissingOutput } from './missing-output.ts';

/** The length of a step of a replay. */
const STEP_MS = 1;

/** The interval at which the model is updated in a long run of plain lines, so that keyframes can be kept on the way. */
const SETTLE_EVERY_BYTES = 4 * 1024 * 1024;

/**
 * The number of lines that a live model and its keyframes keep above the screen: enough for any change of size. Requests for more
 * are answered from the log. A line takes 2 KB, so that 200 sessions with a thousand lines each would take 400 MB.
 */
export const LIVE_SCROLLBACK_LINES = 100;

export interface PastModel {
  readonly model: ScreenModel;
  readonly offset: number;
  readonly missing: MissingOutput;
}

/**
 * Feeds the model of `moment` up to `to` in short steps, and yields after each the offset that the model shows: in a run of plain
 * lines, that is behind the bytes that were read. It returns the last offset, which is less than `to` only at the end of the log.
 */
export function* replaySteps(
  log: Log,
  { model, offset: from, missing }: PastModel,
  to: number,
  cost = new DrawingCost(),
): Generator<number, number> {
  const resizes = [...log.marks(from, to)].filter((mark) => mark.type === 'resize');
  const replay = new FastReplay(model);
  let at = from;
  let shown = from;
  while (at < to) {
    while (resizes[0] && resizes[0].offset <= at) {
      const { cols, rows } = resizes.shift()!;
      replay.settle();
      model.resize(cols, rows);
    }
    const until = Math.min(to, resizes[0]?.offset ?? Infinity);
    const read = log.read(at, Math.min(cost.pieceOf(STEP_MS), until - at));
    if (read.type === 'end') break;
    if (read.type === 'gap') {
      missing.add(at, Math.min(to, read.to));
      at = Math.min(to, read.to);
      continue;
    }
    cost.draw(read.bytes.length, () => replay.write(read.bytes));
    at += read.bytes.length;
    if (at - shown >= SETTLE_EVERY_BYTES) cost.draw(0, () => replay.settle());
    if (replay.isSettled) shown = at;
    yield shown;
  }
  cost.draw(0, () => replay.settle());
  for (const { cols, rows } of resizes) model.resize(cols, rows);
  return at;
}

/** Returns a fresh model of the nearest keyframe at or before `offset`, or of the first byte in the log. */
export function modelBefore(
  log: Log,
  keyframes: Keyframes,
  offset: number,
  firstSize: ScreenSize,
  scrollback: number = LIVE_SCROLLBACK_LINES,
): PastModel {
  for (const at of keyframes.before(offset)) {
    if (at < log.start) break;
    const model = keyframes.read(at, (bytes) => restoreModel(bytes, { scrollback }));
    if (model) return { model, offset: at, missing: new MissingOutput() };
  }
  const missing = new MissingOutput();
  missing.add(0, log.start);
  return { model: new ScreenModel(firstSize, { scrollback }), offset: log.start, missing };
}

/** Returns a model at exactly `offset`, synchronously: for an offset that is known to be near a keyframe. */
export function modelAt(log: Log, keyframes: Keyframes, offset: number, firstSize: ScreenSize): PastModel {
  const moment = modelBefore(log, keyframes, offset, firstSize);
  const steps = replaySteps(log, moment, offset);
  for (;;) {
    const { done, value } = steps.next();
    if (!done) continue;
    moment.missing.add(value, offset);
    return { ...moment, offset };
  }
}

/** Stores a keyframe, unless its picture lacks output: a reader that starts from it would not know. */
export function keep(keyframes: Keyframes, { model, offset, missing }: PastModel, cost: DrawingCost): void {
  if (missing.at(offset) > 0) return;
  keyframes.write(offset, cost.sinceMs, encodeKeyframe(model, { history: LIVE_SCROLLBACK_LINES }));
  cost.kept();
}
