import { expect, test } from 'vitest';
import { shownLines } from './shown-lines.ts';

test('[PAST-2] a full-screen program that an ended session never left is over', () => {
  const item = { type: 'screen', from: 0, at: 1000, lines: ['x'], isOver: false } as const;
  expect(shownLines(item, 2000).at(-1)!.text).toBe('[the full-screen program is still running]');
  expect(shownLines(item, 2000, true).at(-1)!.text).toBe('[end of the full-screen program]');
});
