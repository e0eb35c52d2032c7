import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partition } from './partition.ts';

test('finds the border, wherever it is', () => {
  for (let count = 0; count <= 20; count++) {
    for (let border = 0; border <= count; border++) expect(partition(count, (row) => row < border)).toBe(border);
  }
});

test('with unreadable rows, finds a border that no readable row contradicts', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 60 }), fc.nat(60), (isReadable, border) => {
      const found = partition(isReadable.length, (row) => (isReadable[row] ? row < border : undefined));
      isReadable.forEach((readable, row) => {
        if (readable) expect(row < found).toBe(row < border);
      });
    }),
  );
});
