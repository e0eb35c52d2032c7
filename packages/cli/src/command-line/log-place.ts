/**
 * Parses a position in a session's log: a time (`14:03`, `2026-11-15T14:03`, `-5m`, milliseconds since 1970) or an
 * offset (`@12345`, or a plain number that is too small to be a time).
 */
import { parseDuration } from './quantities.ts';
import { UsageError } from './usage-error.ts';

export type LogPlace = { readonly offset: number } | { readonly time: number };

/** A plain number of at least this is a time (September 2001); as an offset it would need a log of a terabyte. */
const TIME_MS_MIN = 1_000_000_000_000;

/** Returns null for invalid text. `now` is in milliseconds since 1970; clock times are in the local time zone. */
export function parseLogPlace(text: string, now: number): LogPlace | null {
  if (/^@\d{1,15}$/.test(text)) return { offset: Number(text.slice(1)) };
  if (/^\d{1,15}$/.test(text)) return Number(text) >= TIME_MS_MIN ? { time: Number(text) } : { offset: Number(text) };
  if (text === 'now') return { time: now };
  if (text.startsWith('-')) {
    const ago = parseDuration(text.slice(1));
    return ago === null ? null : { time: now - ago };
  }
  const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,3})?))?$/.exec(text);
  if (clock) return timeOfDay(Number(clock[1]), Number(clock[2]), Number(clock[3] ?? 0), now);
  const time = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}|$)/.test(text) ? Date.parse(withClock(text)) : NaN;
  return Number.isNaN(time) ? null : { time };
}

export function logPlaceOf(text: string, flag: string, verb: string): LogPlace {
  const place = parseLogPlace(text, Date.now());
  if (place !== null) return place;
  throw new UsageError(
    `${flag} ${JSON.stringify(text)} is neither a time nor an offset; use 14:03, -5m, 2026-01-31T14:03 or @12345`,
    verb,
  );
}

/** The most recent occurrence of a time of day: a time later than now means yesterday. */
function timeOfDay(hours: number, minutes: number, seconds: number, now: number): LogPlace | null {
  if (hours > 23 || minutes > 59 || seconds >= 60) return null;
  const day = new Date(now);
  day.setHours(hours, minutes, 0, seconds * 1000);
  if (day.getTime() > now) day.setDate(day.getDate() - 1);
  return { time: day.getTime() };
}

/** `Date.parse` reads a date alone as midnight UTC; with a time it uses the local time zone. */
const withClock = (text: string): string => (text.length === 10 ? `${text}T00:00` : text);
