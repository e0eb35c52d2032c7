import { SpoolError } from '@spool/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { FakeKeeper } from '../../../test/fake-keeper.ts';
import { quiet } from '../../../test/quiet.ts';
import { Client } from '../../index.ts';
import { parseWanted, waitFor, waitForFirst } from './waiting.ts';

function setUp(): { keeper: FakeKeeper; client: Client } {
  const keeper = new FakeKeeper();
  const client = new Client(keeper);
  onTestFinished(() => {
    client.close();
    expect(keeper.clock.pendingTimers).toBe(0);
  });
  return { keeper, client };
}

test.each([['exit'], ['match:never']])(
  '[STATE-5] what is found late begins no wait for %s any more',
  async (wanted) => {
    const { keeper, client } = setUp();
    const [quick, slow] = [keeper.session('quick'), keeper.session('slow')];
    keeper.end(quick);
    keeper.answers.wait = () => keeper.waited(quick);
    const found = Promise.withResolvers<unknown>();
    keeper.answers.get = ({ ask }) => (ask.session === 'slow' ? found.promise : keeper.info(quick));
    const end = await waitForFirst(client, [{ session: 'slow' }, { session: 'quick' }], parseWanted([wanted]), {
      timeoutMs: 1e9,
    });
    expect(end).toMatchObject({ reason: 'exit', session: { id: 'quick' } });
    const before = keeper.ops();
    found.resolve(keeper.info(slow));
    await quiet(keeper);
    expect(keeper.ops()).toEqual(before);
    expect([keeper.clock.pendingTimers, keeper.watchers.size]).toEqual([0, 0]);
  },
);

test('[STATE-5] a wait that is given up says why, and leaves nothing behind', async () => {
  const { keeper, client } = setUp();
  keeper.session('s');
  keeper.answers.wait = () => 'silence';
  const controller = new AbortController();
  const options = { timeoutMs: 1e9, signal: controller.signal };
  const wait = waitFor(client, 's', parseWanted(['match:never', 'idle']), options);
  await quiet(keeper);
  expect([keeper.clock.pendingTimers, keeper.watchers.size]).toEqual([1, 1]);
  const reason = new Error('enough');
  controller.abort(reason);
  await expect(wait).rejects.toBe(reason);
  await expect(waitFor(client, 's', parseWanted(['idle']), options)).rejects.toBe(reason);
  await quiet(keeper);
  expect([keeper.clock.pendingTimers, keeper.watchers.size]).toEqual([0, 0]);
  expect(keeper.ops().filter((op) => op === 'wait')).toHaveLength(1);
});

test.each([
  ['idle,blocked', ['idle', 'blocked'], null],
  ['match:/a,b/', [], 'a,b'],
  ['match:/a,b/i,idle', ['idle'], 'a,b'],
  ['idle,match:/[/,]x\\/,/,exit', ['idle', 'exit'], '[/,]x\\/,'],
  ['match:bare, with a comma', [], 'bare, with a comma'],
  ['exit,match:/a/b/', ['exit'], 'a\\/b'],
])('[STATE-5] %s is a list of what is wanted', (text, until, source) => {
  const wanted = parseWanted([text]);
  expect(wanted.until).toEqual(until);
  expect(wanted.pattern?.source ?? null).toBe(source);
});

test.each(['match:/open', 'idle,match:/open,exit', 'match:', 'idel', 'match:/a/,match:/b/'])(
  '[STATE-5] %s is refused',
  (text) => expect(() => parseWanted([text])).toThrow(SpoolError),
);

test('an empty condition is refused: it would wait for nothing, for ever', () => {
  for (const texts of [[''], ['idle', '']]) expect(() => parseWanted(texts)).toThrow('unknown wait condition');
});
