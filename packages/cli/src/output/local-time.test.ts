import { expect, test } from 'vitest';
import { parseLogPlace } from '../command-line/log-place.ts';
import { localTime } from './local-time.ts';

const NOON = new Date(2026, 0, 31, 12, 0, 0).getTime();

test.each<[at: Date, text: string]>([
  [new Date(2026, 0, 31, 11, 3, 9), '11:03:09'],
  [new Date(2026, 0, 30, 23, 59, 59), '2026-01-30 23:59:59'],
  [new Date(2025, 0, 31, 12, 0, 0), '2025-01-31 12:00:00'],
])('%s reads %s, and --at takes it back', (at, text) => {
  expect(localTime(at.getTime(), NOON)).toBe(text);
  expect(parseLogPlace(text, NOON)).toEqual({ time: at.getTime() });
});
