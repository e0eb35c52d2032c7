/** Flags and texts that verbs of several groups have. */

/**
 * The limit of lines, the same as for the setting `history`. A line of 200 columns takes 3 KB in the model that shows it. `all`
 * lines are passed on instead of being held in a model.
 */
export const HISTORY_LINES_MAX = 20_000;

/** Lines above the screen. */
export const HISTORY = {
  kind: 'whole',
  value: 'LINES',
  most: HISTORY_LINES_MAX,
  all: true,
  words: ['all'],
} as const;

export const SIZE_POLICY = {
  kind: 'text',
  value: 'POLICY',
  words: ['latest', 'smallest', 'largest', 'fixed'],
  about: 'which viewer sets the size: latest, smallest, largest or fixed (default: latest)',
} as const;

export const WAIT_WORDS = ['exit', 'idle', 'blocked', 'prompt', 'output', 'match:'] as const;
