/** Ends what a token has opened when the token ends. Keeps DOOR-12. */

/** The longest that a timer can wait; what lives longer ends then, and is opened again. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** `undefined` for a token that does not expire. */
export function whenExpired(expiresAt: number | null, end: () => void): NodeJS.Timeout | undefined {
  if (expiresAt === null) return undefined;
  return setTimeout(end, Math.min(TIMER_MS_MAX, Math.max(0, expiresAt - Date.now()))).unref();
}
