/** What is due in the same few milliseconds is done in one go. */
const ALARM_GRAIN_MS = 8;

/** A clock that was set back makes everything due in months, for which Node has no timer: it would fire at once, and again. */
const ALARM_MS_MAX = 60_000;

/** How long until what is due at `next` is looked at. */
export function alarmDelay(next: number, now: number): number {
  const at = Math.ceil(next / ALARM_GRAIN_MS) * ALARM_GRAIN_MS;
  return Math.min(ALARM_MS_MAX, Math.max(1, at - now));
}
