import { ScreenModel } from '@spool/screen';
import type { GridRun } from '@spool/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type GridPicture, Grids } from './grids.ts';

const SIZE = { cols: 20, rows: 5 };

function shown({ rows, lines }: GridPicture, before: readonly string[] = []): string[] {
  const all = Array.from({ length: rows }, (_, row) => before[row] ?? '?');
  for (const [row, runs] of lines) all[row] = text(runs);
  return all;
}

const text = (runs: readonly GridRun[]): string => runs.map(([part]) => part).join('');

test('[SCR-5] the first picture has every row, the next only those that have changed', () => {
  const grids = new Grids();
  const model = new ScreenModel(SIZE);
  model.write(Buffer.from('one\r\ntwo\r\n\x1b[1;31mthree'));
  const first = grids.take('a', model, undefined);
  expect(shown(first)).toEqual(['one', 'two', 'three', '', '']);
  expect(first.lines[2]![1]).toEqual([['three', 5, 1, null, 1]]);
  expect(grids.take('a', model, first.stamp)).toMatchObject({ stamp: first.stamp, lines: [] });

  model.write(Buffer.from('\x1b[m\x1b[2;1HTWO'));
  const second = grids.take('a', model, first.stamp);
  expect(second.lines.map(([row]) => row)).toEqual([1]);
  // Another page, which has seen no row.
  expect(grids.take('a', model, undefined).lines).toHaveLength(5);
});

test.each(['', 'x', '9.9', '1.99999', 'NaN.NaN'])('[SCR-5] an unknown stamp (%j) gives every row', (stamp) => {
  const grids = new Grids(1);
  const model = new ScreenModel(SIZE);
  grids.take('a', model, undefined);
  expect(grids.take('a', model, stamp).lines).toHaveLength(5);
});

test('[SCR-5] another size gives every row, and a hidden cursor is not shown', () => {
  const grids = new Grids();
  const model = new ScreenModel(SIZE);
  const { stamp } = grids.take('a', model, undefined);
  model.resize(20, 7);
  model.write(Buffer.from('\x1b[?25l'));
  const picture = grids.take('a', model, stamp);
  expect(picture).toMatchObject({ rows: 7, cursor: null });
  expect(picture.lines).toHaveLength(7);
});

test('[SCR-5] pages that ask at any moments see the same screen in the end', () => {
  const write = fc.record({
    row: fc.integer({ min: 1, max: 5 }),
    text: fc.stringMatching(/^[a-c]{0,5}$/),
    asks: fc.array(fc.constantFrom(0, 1)),
  });
  fc.assert(
    fc.property(fc.array(write, { maxLength: 20 }), (writes) => {
      const grids = new Grids();
      const model = new ScreenModel(SIZE);
      const pages = [0, 1].map(() => ({ stamp: undefined as string | undefined, rows: [] as string[] }));
      const ask = (page: (typeof pages)[number]): void => {
        const picture = grids.take('a', model, page.stamp);
        page.rows = shown(picture, page.rows);
        page.stamp = picture.stamp;
      };
      for (const { row, text: written, asks } of writes) {
        model.write(Buffer.from(`\x1b[${row};1H\x1b[K${written}`));
        for (const page of asks) ask(pages[page]!);
      }
      for (const page of pages) ask(page);
      expect(pages[0]!.rows).toEqual(shown(new Grids().take('a', model, undefined)));
      expect(pages[1]!.rows).toEqual(pages[0]!.rows);
    }),
  );
});
