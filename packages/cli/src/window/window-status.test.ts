import { cellsOfText } from '@spool/vt';
import { expect, test } from 'vitest';
import { statusText } from './window-status.ts';

const session = { cols: 200, rows: 50 };
const place = { top: 26, left: 0 };

test.each([
  ['quiet', { cols: 80, rows: 23 }, '[session is 200×50 · 1–80 × 27–49]'],
  ['quiet', { cols: 30, rows: 14 }, '[session is 200×50]'],
  ['quiet', { cols: 10, rows: 14 }, '[session i'],
  ['panning', { cols: 80, rows: 23 }, '[session is 200×50 · 1–80 × 27–49 · arrows pan, Esc ends]'],
  ['panning', { cols: 40, rows: 23 }, '[1–40 × 27–49 · arrows, Esc]'],
  ['prefix', { cols: 80, rows: 23 }, '[arrows pan · again: send it · or wait: detach]'],
  ['prefix', { cols: 40, rows: 23 }, '[arrows pan, or detach]'],
] as const)('[SIZE-6] %s at %o: %s', (state, shown, expected) => {
  expect(statusText({ session, shown, place, state }, shown.cols)).toBe(expected);
});

test('[SIZE-6] a terminal that shows all of it says only the size', () => {
  const facts = { session, shown: { cols: 300, rows: 79 }, place: { top: 0, left: 0 }, state: 'quiet' } as const;
  expect(statusText(facts, 300)).toBe('[session is 200×50]');
});

test('[SIZE-6] it is never wider than the terminal', () => {
  for (const state of ['quiet', 'panning', 'prefix'] as const)
    for (let cols = 1; cols < 100; cols++)
      expect(cellsOfText(statusText({ session, shown: { cols, rows: 20 }, place, state }, cols))).toBeLessThanOrEqual(
        cols,
      );
});
