import { expect, test } from 'vitest';
import { logPlaceOf, parseLogPlace } from './log-place.ts';

/** A Sunday, 21:00 here. */
const now = new Date(2026, 10, 15, 21, 0, 0).getTime();
const at = (...parts: [number, number, number, number, number, number?]): number => new Date(...parts).getTime();

test.each([
  ['@12345', { offset: 12345 }],
  ['12345', { offset: 12345 }],
  ['0', { offset: 0 }],
  ['1794777597129', { time: 1_794_777_597_129 }],
  ['@1794777597129', { offset: 1_794_777_597_129 }],
  ['now', { time: now }],
  ['-5m', { time: now - 300_000 }],
  ['-1.5h', { time: now - 5_400_000 }],
  ['-90', { time: now - 90_000 }],
  ['14:03', { time: at(2026, 10, 15, 14, 3) }],
  ['9:03:07', { time: at(2026, 10, 15, 9, 3, 7) }],
  ['14:03:07.5', { time: at(2026, 10, 15, 14, 3, 7) + 500 }],
  ['#12345', { offset: 12345 }],
  ['10m ago', { time: now - 600_000 }],
  ['1 h ago', { time: now - 3_600_000 }],
  ['yesterday 14:03', { time: at(2026, 10, 14, 14, 3) }],
  ['Yesterday', { time: at(2026, 10, 14, 0, 0) }],
  ['today 00:30', { time: at(2026, 10, 15, 0, 30) }],
  ['2026-11-16 14:03', { time: at(2026, 10, 16, 14, 3) }],
  ['2026-11-15 14:03:22.5', { time: at(2026, 10, 15, 14, 3, 22) + 500 }],
  ['2026-11-15 14:03:22.512', { time: at(2026, 10, 15, 14, 3, 22) + 512 }],
  ['2026-11-15T14:03:00+01:00', { time: Date.UTC(2026, 10, 15, 13, 3) }],
  ['2026-11-15 14:03-0530', { time: Date.UTC(2026, 10, 15, 19, 33) }],
  ['10m', null],
  ['ago', null],
  ['10x ago', null],
  ['2026-02-30', null],
  ['14:03:60', null],
  ['22:30', { time: at(2026, 10, 14, 22, 30) }],
  ['2026-11-15T14:03', { time: at(2026, 10, 15, 14, 3) }],
  ['2026-11-15 14:03', { time: at(2026, 10, 15, 14, 3) }],
  ['2026-11-15', { time: at(2026, 10, 15, 0, 0) }],
  ['2026-11-15T14:03:00Z', { time: Date.UTC(2026, 10, 15, 14, 3) }],
  ['24:00', null],
  ['14:60', null],
  ['noon', null],
  ['', null],
  ['-', null],
  ['-5x', null],
  ['@', null],
  ['2026', { offset: 2026 }],
  ['2026-13-45T99:99', null],
])('[PAST-5] %j is %j', (text, place) => expect(parseLogPlace(text, now)).toEqual(place));

test('a duration alone is an age where a flag says so', () => {
  const place = logPlaceOf('10m', '--since', 'logs', { isAge: true }) as { time: number };
  expect(Math.abs(place.time - (Date.now() - 600_000))).toBeLessThan(60_000);
  expect(logPlaceOf('10', '--since', 'logs', { isAge: true })).toEqual({ offset: 10 });
  expect(() => logPlaceOf('noon', '--at', 'screen')).toThrow('--at "noon" is neither a time nor an offset');
});
