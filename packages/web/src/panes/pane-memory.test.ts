/** Tests the memory of panes. */
import { expect, test } from 'vitest';
import { keepPanes, limitShare, readPanes } from './pane-memory.ts';

function memory(): Pick<Storage, 'getItem' | 'setItem'> {
  const items = new Map<string, string>();
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, text) => void items.set(key, text) };
}

test('[CARD-10] the arrangement is kept per session; an unknown one is the first', () => {
  const storage = memory();
  expect(readPanes('one', storage)).toEqual({ choice: 'both', share: 55 });
  keepPanes('one', { choice: 'cards', share: 30 }, storage);
  keepPanes('two', { choice: 'both', share: 70 }, storage);
  expect(readPanes('one', storage)).toEqual({ choice: 'cards', share: 30 });
  storage.setItem(
    'spool.panes',
    '[["one", {"choice": "everything", "share": 3}], ["two", {"choice": "both", "share": 999}]]',
  );
  expect(readPanes('one', storage)).toEqual({ choice: 'both', share: 55 });
  expect(readPanes('two', storage)).toEqual({ choice: 'both', share: 80 });
});

test('no share hides a pane', () => expect([-5, 50.4, 200].map(limitShare)).toEqual([20, 50, 80]));
