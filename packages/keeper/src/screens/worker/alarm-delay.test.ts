import { expect, test } from 'vitest';
import { alarmDelay } from './alarm-delay.ts';

const DAY = 86_400_000;

test.each([
  ['what is due soon', 1003, 1000, 8],
  ['what is due now', 1000, 1000, 1],
  ['what was due long ago, by a clock that was set forward', 1000, 40 * DAY, 1],
  ['what is due in months, by a clock that was set back', 46 * DAY, 0, 60_000],
])('an alarm for %s', (_what, next, now, expected) => expect(alarmDelay(next, now)).toBe(expected));
