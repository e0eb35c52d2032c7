/**
 * Times as the user's clock shows them. `parseLogPlace` reads each of these forms back, to the millisecond.
 *
 * When clocks are set back, an hour occurs twice. A time in the second one is shown with its offset from UTC (`02:30:00+01:00`), so
 * that it can be distinguished from the first.
 */

/** Formats a time with milliseconds: `2026-11-16 14:03:22.512`. */
export function formatTime(ms: number): string {
  return `${dateOf(new Date(ms))} ${clockOf(new Date(ms), true)}`;
}

/** Formats a time with seconds: `2026-11-16 14:03:22`. */
export function formatSecond(ms: number): string {
  return `${dateOf(new Date(ms))} ${clockOf(new Date(ms), false)}`;
}

/** Formats a time briefly: `14:03:22` on the same day, `2026-11-15 14:03:22` on another. */
export function localTime(ms: number, now: number): string {
  const time = new Date(ms);
  const isToday = dateOf(time) === dateOf(new Date(now));
  return isToday ? clockOf(time, false) : formatSecond(ms);
}

const dateOf = (time: Date): string =>
  `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;

function clockOf(time: Date, hasMs: boolean): string {
  const seconds = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  const clock = hasMs ? `${seconds}.${String(time.getMilliseconds()).padStart(3, '0')}` : seconds;
  return isSecond(time) ? clock + zoneOf(time) : clock;
}

/** Returns whether the same clock time already occurred before the clock was set back. */
function isSecond(time: Date): boolean {
  const parts = [time.getFullYear(), time.getMonth(), time.getDate(), time.getHours(), time.getMinutes()] as const;
  return new Date(...parts, time.getSeconds(), time.getMilliseconds()).getTime() !== time.getTime();
}

function zoneOf(time: Date): string {
  const minutes = -time.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

const two = (value: number): string => String(value).padStart(2, '0');
