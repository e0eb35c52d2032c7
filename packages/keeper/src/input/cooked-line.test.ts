import { expect, test } from 'vitest';
import { COOKED_LINE_BYTES_MAX, CookedLine } from './cooked-line.ts';

const xs = (count: number): string => 'x'.repeat(count);

/** Types the pieces one after the other; returns the length of the longest line after each piece. */
function typed(...pieces: string[]): number[] {
  const line = new CookedLine();
  return pieces.map((piece) => {
    const bytes = Buffer.from(piece);
    const longest = line.longestWith(bytes);
    line.take(bytes);
    return longest;
  });
}

test('[IN-10] a line goes on over several writes and ends with Enter, a newline or the end of file', () => {
  expect(COOKED_LINE_BYTES_MAX).toBe(4095);
  expect(typed(xs(3000), xs(3000))).toEqual([3000, 6000]);
  expect(typed(`${xs(4095)}\n`, xs(4095), '\r', xs(10))).toEqual([4095, 4095, 0, 10]);
  expect(typed(`${xs(100)}\n${xs(300)}\r${xs(200)}\x04${xs(5)}`, 'y')).toEqual([300, 6]);
  expect(typed('é\n')).toEqual([2]);
});

test('[IN-10] what edits the line shortens it', () => {
  expect(typed(xs(4000), '\x7f'.repeat(100), xs(150))).toEqual([4000, 0, 4050]);
  expect(typed('\b\b', xs(3))).toEqual([0, 3]);
  for (const key of ['\x15', '\x03', '\x1a', '\x1c', '\x17'])
    expect(typed(xs(4000), key, xs(10))).toEqual([4000, 0, 10]);
});

test('[IN-10] a program that reads bytes has no line', () => {
  const line = new CookedLine();
  line.take(Buffer.from(xs(4000)));
  line.clear();
  expect(line.longestWith(Buffer.from('abc'))).toBe(3);
});
