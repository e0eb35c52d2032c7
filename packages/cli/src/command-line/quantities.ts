/** Parses durations, byte counts and terminal sizes. Each parser returns null for invalid text. */
import type { Size } from '@spool/protocol';

const MS_PER: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The timers of the kernel and of Node end at 2^31 ms (24 days). */
const DURATION_MS_MAX = 2_000_000_000;

/** Parses a duration: `500ms`, `10s`, `1.5h`, `1h30m`; a plain number means seconds. */
export function parseDuration(text: string): number | null {
  return durationWithin(text, DURATION_MS_MAX);
}

function durationWithin(text: string, mostMs: number): number | null {
  if (/^\d+(\.\d+)?$/.test(text)) return bounded(Number(text) * 1000, mostMs);
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return null;
  let sum = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) sum += Number(count) * MS_PER[unit!]!;
  return bounded(sum, mostMs);
}

/** Parses an age: a duration without its limit, and with weeks: `2d`, `8w`. */
export function parseAge(text: string): number | null {
  const weeks = /^(\d+(?:\.\d+)?)w$/.exec(text);
  if (weeks) return bounded(Number(weeks[1]) * 7 * MS_PER.d!, Number.MAX_SAFE_INTEGER);
  return durationWithin(text, Number.MAX_SAFE_INTEGER);
}

/** Parses a byte count: `500`, `64k`, `10M`, `1.5GiB`, in powers of 1024. */
export function parseByteSize(text: string): number | null {
  const found = /^(\d+(?:\.\d+)?)(?:([kmgt])?(?:i?b)?)$/i.exec(text);
  if (!found) return null;
  const power = 'kmgt'.indexOf((found[2] ?? '').toLowerCase() || '-') + 1;
  return bounded(Number(found[1]) * 1024 ** power, Number.MAX_SAFE_INTEGER);
}

/** Parses a size: `120x40` is columns, then rows. */
export function parseSize(text: string): Size | null {
  const found = /^(\d{1,5})x(\d{1,5})$/i.exec(text);
  if (!found) return null;
  const cols = Number(found[1]);
  const rows = Number(found[2]);
  return cols >= 1 && rows >= 1 && cols <= 10_000 && rows <= 10_000 ? { cols, rows } : null;
}

/** Reads an integer, possibly negative. */
export function parseWhole(text: string): number | null {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Formats a byte count: `0`, `812`, `1.2k`, `64k`, `3.4M`. */
export function formatByteSize(bytes: number): string {
  let value = bytes;
  let unit = '';
  for (const next of ['k', 'M', 'G', 'T']) {
    if (value < 1023.5) break;
    value /= 1024;
    unit = next;
  }
  const digits = unit === '' || value >= 9.95 ? Math.round(value).toString() : value.toFixed(1).replace(/\.0$/, '');
  return digits + unit;
}

function bounded(value: number, most: number): number | null {
  const whole = Math.round(value);
  return Number.isFinite(whole) && whole <= most ? whole : null;
}
