/** Alarms that are due in the same few milliseconds are handled together. */
const ALARM_GRAIN_MS = 8;

/**
 * The maximum delay. A clock that was set back makes alarms due in months, and Node has no timer for that: it would fire at once,
 * again and again.
 */
const ALARM_MS_MAX = 60_000;

/** Returns the delay until an alarm that is due at `next` is handled. */
export function alarmDelay(next: number, now: number): number {
  const at = Math.ceil(next / ALARM_GRAIN_MS) * ALARM_GRAIN_MS;
  return Math.min(ALARM_MS_MAX, Math.max(1, at - now));
}
