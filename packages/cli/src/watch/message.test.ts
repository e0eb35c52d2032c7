import fc from 'fast-check';
import { expect, test } from 'vitest';
import { displayWidth } from '../output/printable.ts';
import { messageLines } from './message.ts';

test('a short message is one line; a long one is broken at blanks and keeps its end', () => {
  expect(messageLines('removed build', 40)).toEqual([' removed build']);
  expect(messageLines('build is running; press s to stop it first', 40)).toEqual([
    ' build is running; press s to stop it',
    ' first',
  ]);
});

test('however long and wide, it takes at most four lines that fit', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), fc.integer({ min: 1, max: 100 }), (text, cols) => {
      const lines = messageLines(text, cols);
      expect(lines.length).toBeLessThanOrEqual(4);
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(1, cols - 1));
    }),
  );
});
