import fc from 'fast-check';
import { expect, test } from 'vitest';
import { heat, nextOutputAfter, offsetAt, timelineOf, timeAt } from './timeline.ts';

const LIFE = { startedAt: 1000, endAt: 9000, endOffset: 500, lastOutputAt: 6000 };
const MARKS = [
  { type: 'time', offset: 100, at: 2000 },
  { type: 'resize', offset: 100, at: 2500, cols: 100, rows: 30 },
  { type: 'time', offset: 500, at: 6000 },
] as const;

test('a time leads to the last offset that was written by then', () => {
  const line = timelineOf(LIFE, MARKS, []);
  expect([999, 1000, 1999, 2000, 5999, 6000, 9000, 99_999].map((at) => offsetAt(line, at))).toEqual([
    0, 0, 0, 100, 100, 500, 500, 500,
  ]);
  expect([0, 100, 101, 500].map((offset) => timeAt(line, offset))).toEqual([1000, 2000, 6000, 6000]);
});

test('silence can be skipped', () => {
  const line = timelineOf(LIFE, MARKS, []);
  expect(nextOutputAfter(line, 2600)).toBe(6000);
  expect(nextOutputAfter(line, 9000)).toBe(null);
});

test('notes tell what happened, in order, with questions and failures', () => {
  const line = timelineOf(LIFE, MARKS, [
    { type: 'milestone', at: 3000, name: 'x', title: 'built', offset: 200 },
    { type: 'command', at: 2200, offset: 120, command: 'npm test', exitCode: 1, durationMs: 5 },
    { type: 'typed', at: 2300, offset: 130, who: 'cli' },
  ]);
  expect(line.notes.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'failed: npm test (exit code 1)',
    'resize: 100×30',
    'milestone: built',
  ]);
});

test('heat is between 0 and 1, and nothing is written outside of the life', () => {
  const mark = fc.record({ at: fc.integer({ min: 0, max: 12_000 }), offset: fc.integer({ min: 0, max: 500 }) });
  fc.assert(
    fc.property(fc.array(mark), fc.integer({ min: 1, max: 50 }), (marks, count) => {
      const line = timelineOf(
        LIFE,
        marks.map((each) => ({ type: 'time' as const, ...each })),
        [],
      );
      const parts = heat(line, count);
      expect(parts).toHaveLength(count);
      for (const part of parts) expect(part >= 0 && part <= 1).toBe(true);
    }),
  );
});

test('[PAGE-62] a session that is quiet now has shown its last bytes since they came, not since now', () => {
  const life = { startedAt: 1000, endAt: 900_000, endOffset: 500, lastOutputAt: 1500 };
  const line = timelineOf(life, [], []);
  expect([1000, 1499, 1500, 450_000, 900_000].map((at) => offsetAt(line, at))).toEqual([0, 0, 500, 500, 500]);
  expect(line.endAt).toBe(900_000);
  expect(nextOutputAfter(line, 1500)).toBe(null);
  expect(offsetAt(timelineOf({ ...life, lastOutputAt: null }, [], []), 899_999)).toBe(0);
});
