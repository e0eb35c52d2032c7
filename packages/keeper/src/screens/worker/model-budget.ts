/**
 * Selects the models to drop when together they take too much memory: those of idle sessions, least recently used first. A busy
 * session keeps its model, whatever the sum: a dropped model is rebuilt from a keyframe with the next bytes, and two sessions that
 * displace each other's models cost twenty times as much. Keeps a part of SCR-3, its first half.
 */

/**
 * The memory of some 250 models of 120×40, or 400 of 80×24, with the lines above them that a model keeps
 * (`LIVE_SCROLLBACK_LINES`).
 */
export const MODELS_BYTES_MAX = 96 * 1024 * 1024;

/** The share of idle sessions: some 60 models, for screens that are viewed again. */
export const IDLE_BYTES_MAX = 24 * 1024 * 1024;

/** The limit beyond which busy sessions lose their models too. */
export const MODELS_BYTES_LIMIT = 4 * MODELS_BYTES_MAX;

/** The time after output for which a session counts as busy. */
export const BUSY_MS = 5000;

export interface BudgetedModel {
  /** The size of the model; 0 without one. */
  readonly modelBytes: number;
  /** Whether it has output to read, for which it needs its model at once. */
  readonly isBehind: boolean;
  /** The time of the last notice of new bytes; 0 if all its output is older than this keeper. */
  readonly readAt: number;
}

/** Returns the models to drop, in this order. */
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
