/**
 * Checks whether the content of a record file is a record: it may have been damaged, edited, or copied from another
 * session.
 */
import { ENDED_STATES } from '@spool/protocol';
import type { SessionRecord } from './record.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isObject: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const orNone =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

/** Returns a check of the fields of a value; other fields are ignored, so that a later version may add some. */
function has(checks: Readonly<Record<string, Check>>): Check {
  return (value) =>
    isObject(value) && Object.entries(checks).every(([name, check]) => check((value as Record<string, unknown>)[name]));
}

const isSize = has({ cols: isNumber, rows: isNumber });
const isTexts: Check = (value) => isObject(value) && Object.values(value as object).every(isText);

const isRecord = has({
  run: has({
    id: isText,
    command: (value) => Array.isArray(value) && value.length > 0 && value.every(isText),
    cwd: isText,
    size: orNone(orNull(isSize)),
    labels: orNone(isTexts),
    timeoutMs: orNone(isNumber),
    idleTimeoutMs: orNone(isNumber),
    retainBytes: orNone(isNumber),
    retainMs: orNone(isNumber),
    agent: orNone(has({ name: isText })),
  }),
  name: isText,
  prompt: orNone(isText),
  pid: isNumber,
  startedAt: isNumber,
  size: orNull(isSize),
  controlGroup: orNull(isText),
  typed: orNone(has({ who: isText, at: isNumber })),
  ending: orNull(has({ by: isText, killAt: isNumber })),
  end: orNull(
    has({
      state: (value) => (ENDED_STATES as readonly unknown[]).includes(value),
      exitCode: orNull(isNumber),
      signal: orNull(isText),
      at: isNumber,
      by: orNull(isText),
      offset: isNumber,
    }),
  ),
});

export function isSessionRecord(value: unknown): value is SessionRecord {
  return isRecord(value);
}
