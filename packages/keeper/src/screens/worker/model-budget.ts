/**
 * Which models have to go when all of them together take too much memory: those of sessions at rest, the longest unused
 * first. A busy session keeps its model, whatever the sum: to drop it is to make it again with the next bytes, from a
 * keyframe, and two sessions that push each other out cost twenty times what they cost otherwise.
 */

/** Some 250 models of 120×40, or 400 of 80×24, with the lines above them that a model keeps (`LIVE_SCROLLBACK_LINES`). */
export const MODELS_BYTES_MAX = 96 * 1024 * 1024;

/** Of those, what sessions at rest may take: some 60 models, for whoever looks at one again. */
export const IDLE_BYTES_MAX = 24 * 1024 * 1024;

/** With so many busy sessions, memory comes first all the same. */
export const MODELS_BYTES_LIMIT = 4 * MODELS_BYTES_MAX;

/** Bytes within this time: busy. */
export const BUSY_MS = 5000;

export interface BudgetedModel {
  /** 0 where there is none. */
  readonly modelBytes: number;
  /** It has something to read: it needs its model at once. */
  readonly isBehind: boolean;
  /** When it was last told of new bytes; 0 if never: what it read then was there before this keeper. */
  readonly readAt: number;
}

/** Those to be dropped, in this order. */
export function surplusModels<T extends BudgetedModel>(models: Iterable<T>, now: number): T[] {
  const isBusy = ({ readAt }: T): boolean => now - readAt < BUSY_MS;
  let bytes = 0;
  let idleBytes = 0;
  const held: T[] = [];
  for (const model of models) {
    if (model.modelBytes === 0) continue;
    bytes += model.modelBytes;
    if (!isBusy(model)) idleBytes += model.modelBytes;
    if (!model.isBehind) held.push(model);
  }
  if (bytes <= MODELS_BYTES_MAX && idleBytes <= IDLE_BYTES_MAX) return [];
  const surplus: T[] = [];
  for (const model of held.sort((one, other) => one.readAt - other.readAt)) {
    const isIdle = !isBusy(model);
    const isTooMuch = isIdle ? idleBytes > IDLE_BYTES_MAX || bytes > MODELS_BYTES_MAX : bytes > MODELS_BYTES_LIMIT;
    if (!isTooMuch) break;
    bytes -= model.modelBytes;
    if (isIdle) idleBytes -= model.modelBytes;
    surplus.push(model);
  }
  return surplus;
}
