import { expect, test } from 'vitest';
import { replayLine } from './replay-line.ts';

const from = new Date(2026, 10, 16, 14, 0, 0).getTime();
const facts = {
  position: from + 192_000,
  from,
  to: from + 3_723_000,
  speed: 2,
  isPaused: true,
  isSkipping: true,
  isAtEnd: false,
};

test.each([
  [
    120,
    '[14:03:12 · 3:12 of 1:02:03 · paused · 2× · without pauses · Space pauses, ←→ 5 s, PgUp PgDn 1 min, 0–9, n p, + -, s, q quits]',
  ],
  [80, '[14:03:12 · 3:12 of 1:02:03 · paused · 2× · without pauses · ? keys, q quits]'],
  [40, '[3:12 of 1:02:03 · paused · 2×]'],
  [20, '[3:12 of 1:02:03]'],
  [8, '[3:12 of'],
])('[PAST-6] at %s columns: %s', (cols, text) => {
  const shown = cols === 40 ? { ...facts, isSkipping: false } : facts;
  expect(replayLine(shown, cols === 120 ? 140 : cols, from)).toBe(text);
});
