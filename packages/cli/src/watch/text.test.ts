import { expect, test } from 'vitest';
import { clean } from './text.ts';

test('[REQ-2] a text of an agent in a list: nothing acts, no line break reads as a blank, and a cut is counted', () => {
  expect(clean('ls\nrm -rf ~ \u200b\u3164\u001b[2J')).toBe('ls\\nrm -rf ~ \\u{200b}\\u{3164}\\e[2J');
  expect(clean('x'.repeat(2000))).toBe('x'.repeat(2000));
  expect(clean('x'.repeat(2345))).toBe(`${'x'.repeat(2000)}… (+345 characters)`);
});
