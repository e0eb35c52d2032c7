/** Tests the memory of panes. */
import { expect, test } from 'vitest';
import { keepPanes, limitShare, readPanes } from './pane-memory.ts';

function memory(): Pick<Storage, 'getItem' | 'setItem'> {
  const items = new Map<string, string>();
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, text) => void items.set(key, text) };
}

test('[CARD-10] the arrangement is kept per session; an unknown one is the first', () => {
  const storage = memory();
  expect(readPanes('one', 'cards', storage)).toEqual({ beside: 'cards', share: 55 });
  keepPanes('one', { beside: null, share: 30 }, storage);
  keepPanes('two', { beside: 'wire', share: 70 }, storage);
  expect(readPanes('one', 'cards', storage)).toEqual({ beside: null, share: 30 });
  storage.setItem(
    'spool.panes',
    '[["one", {"beside": "everything", "share": 3}], ["two", {"beside": "files", "share": 999}]]',
  );
  expect(readPanes('one', 'cards', storage)).toEqual({ beside: 'cards', share: 55 });
  expect(readPanes('two', null, storage)).toEqual({ beside: 'files', share: 80 });
});

test('no share hides a pane', () => expect([-5, 50.4, 200].map(limitShare)).toEqual([20, 50, 80]));
