import type { Requests, WorkerOutputEvent } from '@spool/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeClient } from '../testing/fake-client.ts';
import { FakeSession } from '../testing/fake-session.ts';
import { textWatcher } from './output-subscriptions.ts';

const FLUSH_MS = 100;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function subscribed(
  options: Partial<Requests['SUBSCRIBE_WORKER_OUTPUT']['ask']> = {},
): Promise<{ session: FakeSession; client: FakeClient; heard: () => Promise<readonly string[]> }> {
  const session = new FakeSession();
  const client = await new FakeClient().hello();
  const ask = { agent: 'fake', flushMs: FLUSH_MS, ...options };
  const { watcher } = textWatcher({
    connection: client.connection,
    channel: 3,
    session: session.session,
    ask,
    from: 0,
  });
  client.connection.watchers.set(3, watcher);
  const heard = async (): Promise<readonly string[]> => {
    await client.read();
    const events = client.told<WorkerOutputEvent>();
    client.frames.length = 0;
    return events.map((event) =>
      event.type === 'WORKER_OUTPUT'
        ? `${event.stream ?? 'stdout'} ${event.offset} ${event.data}`
        : event.type === 'gap'
          ? `gap ${event.from}-${event.to}`
          : `end ${event.offset}`,
    );
  };
  return { session, client, heard };
}

test('[OUT-1] the first text after a pause comes at once; what follows within the time, in one message', async () => {
  const { session, heard } = await subscribed();
  session.print('a');
  expect(await heard()).toEqual(['stdout 0 a']);
  session.print('b');
  vi.advanceTimersByTime(FLUSH_MS / 2);
  session.print('c');
  expect(await heard()).toEqual([]);
  vi.advanceTimersByTime(FLUSH_MS / 2);
  expect(await heard()).toEqual(['stdout 1 bc']);
});

test('[OUT-4] the tail comes when its time is up, though nothing else is ever written', async () => {
  const { session, heard } = await subscribed();
  session.print('first');
  expect(await heard()).toEqual(['stdout 0 first']);
  session.print(' tail');
  vi.advanceTimersByTime(FLUSH_MS - 1);
  expect(await heard()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(await heard()).toEqual(['stdout 5  tail']);
  vi.advanceTimersByTime(10 * FLUSH_MS);
  expect(await heard()).toEqual([]);
});

test('[OUT-4] the end of the session flushes what is held, and the end comes after it', async () => {
  const { session, heard } = await subscribed({ chunking: 'line', flushMs: 60_000 });
  session.print('whole\nhalf');
  expect(await heard()).toEqual(['stdout 0 whole\n']);
  session.end();
  expect(await heard()).toEqual(['stdout 6 half', 'end 10']);
  expect([session.watchers.size, vi.getTimerCount()]).toEqual([0, 0]);
});

test('[OUT-4] a session that is removed gives out what is held', async () => {
  const { session, heard } = await subscribed({ chunking: 'line', flushMs: 60_000 });
  session.print('half');
  for (const watcher of [...session.watchers]) watcher.removed();
  expect(await heard()).toEqual(['stdout 0 half', 'end 4']);
});

test('[OUT-3] streams are told apart, in the order in which they were written', async () => {
  const { session, heard } = await subscribed();
  session.print('out ');
  session.print('err ', 'stderr');
  session.print('out again');
  session.end();
  expect(await heard()).toEqual(['stdout 0 out ', 'stderr 4 err ', 'stdout 8 out again', 'end 17']);
});

test('[OUT-2] a character cut by a gap is not held back, and what follows is at its own offset', async () => {
  const { session, heard } = await subscribed();
  session.log.append(Buffer.from('text'), 1);
  session.log.skip(50, 1);
  session.print('on');
  session.end();
  expect(await heard()).toEqual(['stdout 0 text', 'gap 4-54', 'stdout 54 on', 'end 56']);
});

test('[SLOW-2] a client that does not read is waited for in the log, and then gets all of it', async () => {
  const { session, client } = await subscribed();
  const read = vi.spyOn(session.log, 'read');
  const whole = 'x'.repeat(1024 * 1024);
  for (let n = 0; n < 4; n++) {
    session.print(whole);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const taken = read.mock.results.reduce((sum, { value }) => sum + (value?.bytes?.length ?? 0), 0);
  expect(taken).toBeLessThan(1024 * 1024);
  session.end();
  const events = (): readonly WorkerOutputEvent[] => client.told<WorkerOutputEvent>();
  await client.readUntil('the end came', () => events().some(({ type }) => type === 'end'));
  const text = events().flatMap((event) => (event.type === 'WORKER_OUTPUT' ? [event.data] : []));
  expect(text.join('') === whole.repeat(4)).toBe(true);
});

test('[OUT-5] one who unsubscribes hears nothing more, and no timer is left', async () => {
  const { session, client, heard } = await subscribed({ chunking: 'line' });
  session.print('half');
  for (const watcher of [...session.watchers]) watcher.close();
  session.print(' line\n');
  vi.advanceTimersByTime(10 * FLUSH_MS);
  expect(await heard()).toEqual([]);
  expect([session.watchers.size, client.connection.watchers.size, vi.getTimerCount()]).toEqual([0, 0, 0]);
});
