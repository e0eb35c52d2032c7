import { expect, test } from 'vitest';
import { FakeKeeper } from '../test/fake-keeper.ts';
import { Link } from './link.ts';
import { Requester } from './requests.ts';

test('the ids that are remembered are bounded; the oldest goes first, and is looked up again', async () => {
  const keeper = new FakeKeeper();
  keeper.session('id0');
  const link = new Link(keeper);
  const requester = new Requester(link);
  for (let at = 0; at < 5000; at++) requester.remember(`id${at}`);
  const known = Array.from({ length: 5000 }, (_, at) => requester.isId(`id${at}`));
  expect([known.filter(Boolean).length, known[903], known[904], known[4999]]).toEqual([4096, false, true, true]);
  expect([await requester.id('id4999'), await requester.id('id0')]).toEqual(['id4999', 'id0']);
  expect(keeper.ops()).toEqual(['get']);
  link.close();
});
