import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contrast, readableInk, rgbOf } from './contrast.ts';

test('[PAGE-66] text of a miniature has contrast to its background, whatever colours a program chose', () => {
  const level = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.tuple(level, level, level), fc.tuple(level, level, level), (ink, paper) => {
      const css = ([red, green, blue]: readonly number[]): string => `rgb(${red} ${green} ${blue})`;
      const shown = rgbOf(readableInk(css(ink), css(paper), 4.5))!;
      expect(contrast(shown, paper)).toBeGreaterThanOrEqual(4.5);
      if (contrast(ink, paper) >= 4.5) expect(shown).toEqual(ink);
    }),
  );
  expect(readableInk('#1f1c17', '#3a3a3a', 4.5)).not.toBe('#1f1c17');
  expect(readableInk('hsl(1 2 3)', '#3a3a3a', 4.5)).toBe('hsl(1 2 3)');
});
