/**
 * How long ended sessions are kept, as set in `config.json`:
 *
 *     { "keepEnded": { "age": "30d", "count": 1000 } }
 *
 * An invalid setting keeps everything: a typing error must not delete history. Keeps that part of LOG-8.
 */
import { readFileSync, statSync } from 'node:fs';

export interface KeepEnded {
  /** Older sessions are removed; null: no limit by age. */
  readonly ageMs: number | null;
  /** Beyond this number, the oldest are removed; null: no limit by number. */
  readonly count: number | null;
}

export interface KeepCheck {
  readonly keep: KeepEnded;
  /** What is wrong with the setting, in a sentence; null when it is valid. */
  readonly fault: string | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const UNIT_MS = { s: 1000, m: 60_000, h: 60 * 60_000, d: DAY_MS, w: 7 * DAY_MS } as const;
const FILE_BYTES_MAX = 64 * 1024;

export const KEEP_DEFAULT: KeepEnded = { ageMs: 30 * DAY_MS, count: null };
const KEEP_ALL: KeepEnded = { ageMs: null, count: null };

export function readKeepEnded(configFile: string): KeepCheck {
  let text: string;
  try {
    const found = statSync(configFile);
    if (!found.isFile() || found.size > FILE_BYTES_MAX) return wrong(`${configFile} is not a file, or too large a one`);
    text = readFileSync(configFile, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { keep: KEEP_DEFAULT, fault: null }; // most users have none
    return wrong(`${configFile} cannot be read: ${(error as Error).message}`);
  }
  try {
    return parseKeepEnded((JSON.parse(text) as { keepEnded?: unknown } | null)?.keepEnded, configFile);
  } catch (error) {
    return wrong(`${configFile} is not JSON: ${(error as Error).message}`);
  }
}

export function parseKeepEnded(value: unknown, configFile = 'config.json'): KeepCheck {
  if (value === undefined) return { keep: KEEP_DEFAULT, fault: null };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return wrong(`${configFile}: keepEnded must be an object like { "age": "30d", "count": 1000 }`);
  const { age = '30d', count = null, ...others } = value as Record<string, unknown>;
  const [other] = Object.keys(others);
  if (other !== undefined) return wrong(`${configFile}: keepEnded knows age and count, not ${JSON.stringify(other)}`);
  const ageMs = age === null ? null : durationOf(age);
  if (ageMs === undefined)
    return wrong(`${configFile}: keepEnded.age must be like "12h", "30d" or "8w", or null for any age`);
  if (count !== null && !(Number.isSafeInteger(count) && (count as number) >= 0))
    return wrong(`${configFile}: keepEnded.count must be a whole number, or null for any number`);
  return { keep: { ageMs, count: count as number | null }, fault: null };
}

function durationOf(value: unknown): number | undefined {
  const parts = typeof value === 'string' ? /^(\d{1,6})([smhdw])$/.exec(value) : null;
  return parts ? Number(parts[1]) * UNIT_MS[parts[2] as keyof typeof UNIT_MS] : undefined;
}

function wrong(fault: string): KeepCheck {
  return { keep: KEEP_ALL, fault: `${fault}; until that is mended, no ended session is removed` };
}
