/** The additions of the daemon's model to xterm.js, for a page that runs xterm itself: without them the two would disagree. */
export type { EngineCore } from './engine.ts';
export { guard, mendAlternate } from './engine-guards.ts';
export { useWidths } from './widths.ts';
