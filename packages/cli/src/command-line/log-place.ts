/**
 * Parses a position in a session's log: a time in any form that Spool shows or that people write, or an offset (`#12345`).
 * Keeps PAST-5.
 */
import { parseDuration } from './quantities.ts';
import { UsageError } from './usage-error.ts';

export type LogPlace = { readonly offset: number } | { readonly time: number };

/** A plain number of at least this is a time (September 2001); as an offset it would need a log of a terabyte. */
const TIME_MS_MIN = 1_000_000_000_000;

const CLOCK = String.raw`(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d{1,3})?))?(Z|[+-]\d{2}:?\d{2})?`;
const CLOCK_ONLY = new RegExp(`^${CLOCK}$`, 'i');
const DATED = new RegExp(`^(today|yesterday|\\d{4}-\\d{2}-\\d{2})(?:[T ]+${CLOCK})?$`, 'i');

/** Returns null for invalid text. `now` is in milliseconds since 1970; clock times are in the local time zone. */
export function parseLogPlace(text: string, now: number): LogPlace | null {
  if (/^[#@]\d{1,15}$/.test(text)) return { offset: Number(text.slice(1)) };
  if (/^\d{1,15}$/.test(text)) return Number(text) >= TIME_MS_MIN ? { time: Number(text) } : { offset: Number(text) };
  const time = timeOf(text.trim(), now);
  return time === null || Number.isNaN(time) ? null : { time };
}

/** Reads a place in a log. If `isAge` is set, a duration alone means that long ago: `--since 10m`. */
export function logPlaceOf(text: string, flag: string, verb: string, { isAge = false } = {}): LogPlace {
  const now = Date.now();
  const age = isAge && /[a-z]$/.test(text) ? parseDuration(text) : null;
  const place = age === null ? parseLogPlace(text, now) : { time: now - age };
  if (place !== null) return place;
  throw new UsageError(
    `${flag} ${JSON.stringify(text)} is neither a time nor an offset; use 14:03, 10m ago, yesterday 14:03, 2026-01-31 14:03 or #12345`,
    verb,
  );
}

function timeOf(text: string, now: number): number | null {
  if (text === 'now') return now;
  const ago = /^-(.+)$/.exec(text)?.[1] ?? /^(.+?) +ago$/.exec(text)?.[1];
  if (ago !== undefined) {
    const ms = parseDuration(ago.replaceAll(' ', ''));
    return ms === null ? null : now - ms;
  }
  const clock = CLOCK_ONLY.exec(text);
  if (clock) return lastTimeOfDay(clock.slice(1), now);
  const dated = DATED.exec(text);
  return dated ? timeOnDay(dayOf(dated[1]!.toLowerCase(), now), dated.slice(2)) : null;
}

interface Day {
  readonly year: number;
  readonly month: number;
  readonly date: number;
}

function dayOf(text: string, now: number): Day | null {
  if (text === 'today' || text === 'yesterday') {
    const today = new Date(now);
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (text === 'today' ? 0 : 1));
    return { year: day.getFullYear(), month: day.getMonth(), date: day.getDate() };
  }
  const [year, month, date] = text.split('-').map(Number) as [number, number, number];
  const day = new Date(year, month - 1, date);
  return day.getMonth() === month - 1 && day.getDate() === date ? { year, month: month - 1, date } : null;
}

/** Returns the most recent occurrence of a time of day: a time later than now means yesterday. */
function lastTimeOfDay(clock: readonly string[], now: number): number | null {
  const today = timeOnDay(dayOf('today', now), clock);
  return today === null || today <= now ? today : timeOnDay(dayOf('yesterday', now), clock);
}

/** Midnight of a date without a time. */
function timeOnDay(
  day: Day | null,
  [hours = '0', minutes = '0', seconds = '0', zone]: readonly string[],
): number | null {
  const ms = Math.round(Number(seconds.replace(',', '.')) * 1000);
  if (day === null || Number(hours) > 23 || Number(minutes) > 59 || ms >= 60_000) return null;
  const { year, month, date } = day;
  if (zone === undefined) return new Date(year, month, date, Number(hours), Number(minutes), 0, ms).getTime();
  const utc = Date.UTC(year, month, date, Number(hours), Number(minutes), 0, ms);
  const parts = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  if (!parts) return utc;
  const ahead = (Number(parts[2]) * 60 + Number(parts[3])) * 60_000;
  return parts[1] === '-' ? utc + ahead : utc - ahead;
}
