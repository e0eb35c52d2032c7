import { expect, test } from 'vitest';
import { fontSizeFor } from './zoom.ts';

test('[PAGE-61] type in terminals is readable on a phone, and fits the width where it can', () => {
  expect(fontSizeFor(80, 390)).toBe(11);
  expect(fontSizeFor(40, 390)).toBe(15);
  expect(fontSizeFor(120, 1000)).toBe(13.5);
  expect(fontSizeFor(500, 320)).toBe(11);
});
