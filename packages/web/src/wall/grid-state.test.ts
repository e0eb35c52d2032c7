import type { Grid } from '@spool/protocol';
import { expect, test } from 'vitest';
import { merge } from './grid-state.ts';

const grid = (part: Partial<Grid>): Grid => ({
  id: 'a',
  offset: 1,
  stamp: '1.1',
  cols: 10,
  rows: 2,
  cursor: null,
  lines: [],
  ...part,
});
const run = (text: string) => [[text, text.length, null, null, 0]] as const;

test('rows that did not change stay, and those of another size do not', () => {
  const first = merge(
    undefined,
    grid({
      lines: [
        [0, run('one')],
        [1, run('two')],
      ],
    }),
  );
  const second = merge(first, grid({ offset: 2, lines: [[1, run('TWO')]] }));
  expect(second.lines).toEqual([run('one'), run('TWO')]);
  expect(merge(second, grid({ cols: 20, lines: [[0, run('x')]] })).lines).toEqual([run('x'), []]);
});

test('a row outside of the screen is ignored', () => {
  expect(merge(undefined, grid({ lines: [[7, run('x')]] })).lines).toEqual([[], []]);
});
