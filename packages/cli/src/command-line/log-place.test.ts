import { expect, test } from 'vitest';
import { parseLogPlace } from './log-place.ts';

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
])('%j is %j', (text, place) => expect(parseLogPlace(text, now)).toEqual(place));
