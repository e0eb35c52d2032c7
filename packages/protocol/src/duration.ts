/** Durations as text, in two forms: `shortDuration` for columns and ages, `longDuration` for everything else. */

const STEPS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** The limit below which the long form has tenths of a second. */
const TENTHS_BELOW_MS = 9950;

/** Returns one unit, rounded down: `5s`, `3m`, `2h`, `4d`. */
export function shortDuration(ms: number): string {
  return parts(Math.floor(ms / 1000))[0]!;
}

/** Returns up to two units, rounded: `0.4s`, `12s`, `3m 12s`, `2h 5m`, `3d 4h`. */
export function longDuration(ms: number): string {
  if (ms < TENTHS_BELOW_MS) return `${Number((Math.max(0, ms) / 1000).toFixed(1))}s`;
  return parts(Math.round(ms / 1000)).join(' ');
}

/** Returns the long form in whole seconds, for a clock that is painted again while it runs: tenths would flicker. */
export function runningDuration(ms: number): string {
  return parts(Math.floor(ms / 1000)).join(' ');
}

/** Returns the milliseconds until the short form of a growing duration changes. */
export function msUntilShortChanges(ms: number): number {
  const age = Math.max(0, ms);
  const [, seconds] = STEPS.find(([, each]) => age >= each * 1000) ?? STEPS.at(-1)!;
  return seconds * 1000 - (age % (seconds * 1000));
}

/** Returns the largest unit and, unless it is zero, the next smaller one. */
function parts(seconds: number): readonly string[] {
  const whole = Math.max(0, seconds);
  const at = STEPS.findIndex(([, each]) => whole >= each);
  const [unit, each] = STEPS.at(at)!;
  const next = STEPS[at + 1];
  const rest = at === -1 || next === undefined ? 0 : Math.floor((whole % each) / next[1]);
  return [`${Math.floor(whole / each)}${unit}`, ...(rest === 0 ? [] : [`${rest}${next![0]}`])];
}
