/**
 * Selects the models to drop when together they take too much memory: those of idle sessions, least recently used
 * first. A busy session keeps its model, whatever the sum: a dropped model is rebuilt from a keyframe with the next
 * bytes, and two sessions that push each other out cost twenty times what they cost otherwise. Keeps the first half of
 * SCR-3.
 */

/** Some 250 models of 120×40, or 400 of 80×24, with the lines above them that a model keeps (`LIVE_SCROLLBACK_LINES`). */
export const MODELS_BYTES_MAX = 96 * 1024 * 1024;

/** The share of idle sessions: some 60 models, for screens that are viewed again. */
export const IDLE_BYTES_MAX = 24 * 1024 * 1024;

/** Beyond this, busy sessions lose their models too. */
export const MODELS_BYTES_LIMIT = 4 * MODELS_BYTES_MAX;

/** A session with output within this time is busy. */
export const BUSY_MS = 5000;

export interface BudgetedModel {
  /** 0 where there is none. */
  readonly modelBytes: number;
  /** It has something to read: it needs its model at once. */
  readonly isBehind: boolean;
  /** When it was last notified of new bytes; 0 if never: what it read then is older than this keeper. */
  readonly readAt: number;
}

/** The models to drop, in this order. */
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
