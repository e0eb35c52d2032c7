import { SpoolError } from '@spool/protocol';
import { expect, test } from 'vitest';
import { FakeKeeper } from '../../test/fake-keeper.ts';
import { quiet } from '../../test/quiet.ts';
import { Client, type Runtime } from '../index.ts';
import { HELLO_MS } from './link.ts';

const SILENCE = { askAfterMs: 10_000, cutAfterMs: 5000 };

/** Connects to the fake keeper over a network that may fail silently. */
function overNetwork(keeper: FakeKeeper): Runtime {
  return Object.assign(keeper, { silence: SILENCE });
}

test('[REM-2] a peer that says nothing is asked, and stays when it answers', async () => {
  const keeper = new FakeKeeper();
  const client = new Client(overNetwork(keeper));
  await client.open();
  await keeper.clock.sleep(60_000);
  expect(keeper.dials).toBe(1);
  expect(keeper.asked.length).toBeGreaterThan(3);
  expect(new Set(keeper.ops())).toEqual(new Set(['unwatch']));
  client.close();
  await quiet(keeper);
  expect(keeper.clock.pendingTimers).toBe(0);
});

test('[REM-2] a peer that stays silent is given up after 15 s, and the watch goes on over the next connection', async () => {
  const keeper = new FakeKeeper();
  const session = keeper.session('s', 'abc');
  const client = new Client(overNetwork(keeper));
  const watch = client.watch('s', { from: 0 });
  expect((await watch.next()).value).toMatchObject({ type: 'output', offset: 0 });
  keeper.answers.unwatch = () => 'silence';
  const silentAt = keeper.now();
  while (keeper.dials < 2) await keeper.clock.sleep(100);
  expect(keeper.now() - silentAt).toBeLessThanOrEqual(SILENCE.askAfterMs + SILENCE.cutAfterMs + 200);
  keeper.print(session, 'def');
  let item = (await watch.next()).value;
  while (item?.type === 'synced' || item?.type === 'reconnected') item = (await watch.next()).value;
  expect(item).toMatchObject({ type: 'output', offset: 3 });
  client.close();
});

test('[REM-3] a refusal is final, also for a link that was open before', async () => {
  const keeper = new FakeKeeper();
  const client = new Client(overNetwork(keeper));
  await client.open();
  keeper.fate = () => new SpoolError('TOKEN_REFUSED', { host: 'https://host' });
  keeper.hangUp();
  await quiet(keeper);
  await expect(client.get('s')).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
  expect(keeper.dials).toBe(2);
  client.close();
});

test('a host that is away is tried again once it was there, and only then', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s');
  keeper.fate = (dial) => (dial === 1 || dial === 3 ? new SpoolError('HOST_UNREACHABLE') : {});
  const client = new Client(overNetwork(keeper));
  await expect(client.open()).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
  expect(keeper.dials).toBe(1);
  await client.open();
  keeper.hangUp();
  await quiet(keeper);
  expect((await client.get('s')).id).toBe('s');
  expect(keeper.dials).toBe(4);
  client.close();
});

test('[REM-2] a program that was suspended itself asks once more before it gives up', async () => {
  const keeper = new FakeKeeper();
  const client = new Client(overNetwork(keeper));
  await client.open();
  let asked = 0;
  keeper.answers.unwatch = () => {
    // The answer has arrived, but the timer fires first: a minute passed meanwhile.
    if (asked++ === 0) keeper.now = () => keeper.clock.now() + 60_000;
    return asked === 1 ? 'silence' : {};
  };
  while (keeper.asked.length < 3) await keeper.clock.sleep(1000);
  expect(keeper.dials).toBe(1);
  client.close();
});

test('[REM-2] a client that is woken asks at once, and gives up a peer that stays silent', async () => {
  const keeper = new FakeKeeper();
  const client = new Client(overNetwork(keeper));
  await client.open();
  client.wake();
  client.wake(); // one ping for both
  await keeper.clock.sleep(1);
  expect(keeper.ops()).toEqual(['unwatch']);
  await keeper.clock.sleep(5000);
  expect(keeper.dials).toBe(1);
  keeper.answers.unwatch = () => 'silence';
  const events = client.events();
  void events.next();
  await keeper.clock.sleep(1);
  client.wake();
  await keeper.clock.sleep(4100);
  expect(keeper.dials).toBe(2);
  client.close();
});

test('[REM-2] a client that is woken while it waits to dial again dials at once, and gives up an attempt that hangs', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s');
  const client = new Client(overNetwork(keeper), { reconnectMs: 1e9 });
  await client.open();
  const dial = keeper.dial.bind(keeper);
  let dials = 0;
  keeper.dial = () => {
    dials++;
    return dials === 1 ? new Promise<never>(() => {}) : dial();
  };
  keeper.hangUp();
  await quiet(keeper);
  const asked = client.get('s');
  await keeper.clock.sleep(1000);
  expect(dials).toBe(1);
  client.wake();
  expect((await asked).id).toBe('s');
  expect(dials).toBe(2);
  client.close();
});

test('[REM-2] a peer that is reached and says no hello is given up', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s');
  const client = new Client(overNetwork(keeper), { reconnectMs: 1e9 });
  const dial = keeper.dial.bind(keeper);
  let dials = 0;
  keeper.dial = async () => {
    const transport = await dial();
    return dials++ === 0 ? { ...transport, send() {}, drained: async () => {}, close() {} } : transport;
  };
  const asked = client.get('s');
  await keeper.clock.sleep(HELLO_MS + 100);
  expect((await asked).id).toBe('s');
  expect(dials).toBe(2);
  client.close();
});
