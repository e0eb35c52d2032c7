/** What the daemon's model adds to xterm.js, for a page that runs xterm itself: without it the two would disagree. */
export type { EngineCore } from './engine.ts';
export { guard, mendAlternate } from './engine-guards.ts';
export { useWidths } from './widths.ts';
