/** The hours in which no notifications are sent: `22:00-07:00`, in local time. Keeps CONF-2. */

/** A range in minutes since midnight. If it includes midnight, `from` is the larger one. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

const DAY_MINUTES = 24 * 60;

/** Returns undefined for anything except `HH:MM-HH:MM`, and for an empty range. */
export function parseQuietHours(text: string): QuietHours | undefined {
  const found = /^(\d{1,2}):(\d{2})\s*[-–]\s*(\d{1,2}):(\d{2})$/.exec(text);
  if (!found) return undefined;
  const [from, to] = [minuteOf(found[1]!, found[2]!), minuteOf(found[3]!, found[4]!)];
  return from === undefined || to === undefined || from === to || from === DAY_MINUTES ? undefined : { from, to };
}

/** Returns whether `now` is in one of the ranges, in the time zone of this process. */
export function isQuiet(ranges: readonly QuietHours[], now: Date): boolean {
  const minute = now.getHours() * 60 + now.getMinutes();
  return ranges.some(({ from, to }) => (from < to ? minute >= from && minute < to : minute >= from || minute < to));
}

function minuteOf(hours: string, minutes: string): number | undefined {
  const minute = Number(hours) * 60 + Number(minutes);
  return Number(minutes) < 60 && minute <= DAY_MINUTES ? minute : undefined;
}
