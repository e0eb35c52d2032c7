/** Tests the drafts of prompts. */
import { expect, test } from 'vitest';
import { keepDraft, readDraft } from './drafts.ts';

function memory(): Pick<Storage, 'getItem' | 'setItem'> {
  const items = new Map<string, string>();
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, text) => void items.set(key, text) };
}

test('[CARD-8] a draft is kept per session, and gone when it is empty', () => {
  const storage = memory();
  keepDraft('one', 'first', storage);
  keepDraft('two', 'second', storage);
  keepDraft('one', 'first, longer', storage);
  expect(readDraft('one', storage)).toBe('first, longer');
  expect(readDraft('two', storage)).toBe('second');
  keepDraft('two', '', storage);
  expect(readDraft('two', storage)).toBe('');
});

test('the oldest drafts are dropped, and unreadable ones are ignored', () => {
  const storage = memory();
  storage.setItem('spool.drafts', '{"no": "list"}');
  for (let at = 0; at < 100; at++) keepDraft(`${at}`, `text ${at}`, storage);
  expect(readDraft('0', storage)).toBe('');
  expect(readDraft('99', storage)).toBe('text 99');
  storage.setItem('spool.drafts', 'not JSON');
  expect(readDraft('99', storage)).toBe('');
});
