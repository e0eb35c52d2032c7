import { expect, test } from 'vitest';
import { findPlace } from './found-line.ts';

const ROWS = ['$ npm test', '  ok 1', 'Error: it broke', '  ok 1', ''];

test('[PAGE-74] a found line is found on its screen: the last one, also if its end is wrapped', () => {
  expect(findPlace(ROWS, 'Error: it broke')).toEqual({ row: 2, column: 0, length: 15 });
  expect(findPlace(ROWS, ' ok 1 ')).toEqual({ row: 3, column: 2, length: 4 });
  expect(findPlace(ROWS, 'Error: it broke, and much more that is in the next row')).toMatchObject({
    row: 2,
    column: 0,
  });
  expect(findPlace(ROWS, 'nothing like this')).toBe(null);
  expect(findPlace(ROWS, '  ')).toBe(null);
});
