/**
 * A model and the log that it is made from: brings a model to any offset, by the nearest keyframe before it and the bytes
 * and resizes between. Nothing here is lasting but the keyframes, and those can be made again.
 */
import type { Log } from '@spool/core';
import { encodeKeyframe, restoreModel, ScreenModel, type Size as ScreenSize } from '@spool/core/screen';
import type { Keyframes } from './keyframes.ts';

const READ_BYTES = 64 * 1024;

export interface Moment {
  readonly model: ScreenModel;
  readonly offset: number;
}

/** Feeds `model` from `from` up to `to`; gives the offset reached, which is less only at the end of the log. */
export function replay(
  log: Log,
  model: ScreenModel,
  from: number,
  to: number,
  feed: (bytes: Uint8Array) => void,
): number {
  const resizes = [...log.marks(from, to)].filter((mark) => mark.type === 'resize');
  let at = from;
  while (at < to) {
    while (resizes[0] && resizes[0].offset <= at) {
      const { cols, rows } = resizes.shift()!;
      model.resize(cols, rows);
    }
    const until = Math.min(to, resizes[0]?.offset ?? Infinity);
    const read = log.read(at, Math.min(READ_BYTES, until - at));
    if (read.type === 'end') break;
    if (read.type === 'gap') {
      at = Math.min(to, read.to);
      continue;
    }
    feed(read.bytes);
    at += read.bytes.length;
  }
  for (const { cols, rows } of resizes) model.resize(cols, rows);
  return at;
}

/** A fresh model, as it was at the nearest keyframe at or before `offset`, or at the beginning of what is kept. */
export function modelBefore(log: Log, keyframes: Keyframes, offset: number, firstSize: ScreenSize): Moment {
  for (const at of keyframes.before(offset)) {
    if (at < log.start) break;
    const model = keyframes.read(at, restoreModel);
    if (model) return { model, offset: at };
  }
  return { model: new ScreenModel(firstSize), offset: log.start };
}

/** A model at exactly `offset`. */
export function modelAt(log: Log, keyframes: Keyframes, offset: number, firstSize: ScreenSize): Moment {
  const { model, offset: from } = modelBefore(log, keyframes, offset, firstSize);
  const reached = replay(log, model, from, Math.min(offset, log.end), (bytes) => model.write(bytes));
  return { model, offset: reached };
}

export function keep(keyframes: Keyframes, { model, offset }: Moment): void {
  keyframes.write(offset, encodeKeyframe(model));
}
