/** Times as a user reads them: local, and without the date if it is today. JSON has milliseconds since 1970. */

/** `14:03:12`, or `2026-01-31 14:03:12` for another day. `--at` and `--since` accept both. */
export function localTime(at: number, now: number): string {
  const time = new Date(at);
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  const clock = [two(time.getHours()), two(time.getMinutes()), two(time.getSeconds())].join(':');
  return new Date(now).toDateString() === time.toDateString() ? clock : `${day} ${clock}`;
}

const two = (number: number): string => String(number).padStart(2, '0');
