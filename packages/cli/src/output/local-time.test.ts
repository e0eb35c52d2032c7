import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { parseLogPlace } from '../command-line/log-place.ts';
import { localTime, formatSecond, formatTime } from './local-time.ts';

const own = process.env.TZ;
afterEach(() => {
  if (own === undefined) delete process.env.TZ;
  else process.env.TZ = own;
});

const NOW = Date.UTC(2026, 10, 16, 13, 3, 22, 512);

test('[PAST-5] times are shown in the time zone of the user', () => {
  process.env.TZ = 'Europe/Berlin';
  expect([formatTime(NOW), formatSecond(NOW), localTime(NOW, NOW + 1000)]).toEqual([
    '2026-11-16 14:03:22.512',
    '2026-11-16 14:03:22',
    '14:03:22',
  ]);
  expect(localTime(NOW, NOW + 86_400_000)).toBe('2026-11-16 14:03:22');
  process.env.TZ = 'Asia/Kathmandu';
  expect(formatTime(NOW)).toBe('2026-11-16 18:48:22.512');
});

test('[PAST-5] the hour that comes twice when clocks are set back can be told apart', () => {
  process.env.TZ = 'Europe/Berlin';
  const first = Date.UTC(2026, 9, 25, 0, 30);
  expect([formatSecond(first), formatSecond(first + 3_600_000)]).toEqual([
    '2026-10-25 02:30:00',
    '2026-10-25 02:30:00+01:00',
  ]);
});

test.each(['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Chatham', 'Australia/Lord_Howe'])(
  '[PAST-5] `--at` takes exactly what is shown, in %s',
  (zone) => {
    process.env.TZ = zone;
    const shown = fc.integer({ min: Date.UTC(2002, 0, 1), max: Date.UTC(2038, 0, 1) });
    const changes = [Date.UTC(2026, 9, 25), Date.UTC(2026, 2, 29), Date.UTC(2026, 3, 4), Date.UTC(2026, 9, 3)];
    const near = fc.tuple(fc.constantFrom(...changes), fc.nat(48 * 3_600_000)).map(([day, ms]) => day + ms);
    fc.assert(
      fc.property(fc.oneof(shown, near), (ms) => {
        expect(parseLogPlace(formatTime(ms), NOW)).toEqual({ time: ms });
        const second = ms - (ms % 1000);
        expect(parseLogPlace(formatSecond(second), NOW)).toEqual({ time: second });
        expect(parseLogPlace(localTime(second, second + 1), second + 1)).toEqual({ time: second });
      }),
      { numRuns: 300 },
    );
  },
);
