/** Tests the list of the page, which events keep up to date. */
import type { Client, EventItem, SessionInfo } from '@spool/client';
import { expect, test } from 'vitest';
import { followSessions } from './feed.ts';
import { useSessions } from './store.ts';

const session = (id: string, more: Partial<SessionInfo> = {}): SessionInfo =>
  ({ id, name: id, ...more }) as SessionInfo;

/** Follows a daemon with these lists, one after the other, and these events. */
async function follow(lists: (readonly SessionInfo[])[], events: readonly unknown[]): Promise<readonly SessionInfo[]> {
  let listed = 0;
  const client = {
    list: ({ states }: { states: readonly string[] }) =>
      Promise.resolve(states.includes('running') ? lists[listed++]! : []),
    async *events() {
      yield* events as readonly EventItem[];
    },
  } as unknown as Client;
  await followSessions(client);
  expect(listed).toBe(lists.length);
  return [...useSessions.getState().byId.values()];
}

test('[PAGE-3] sessions that started, changed or ended while the link was away are there once it is back', async () => {
  const before = [session('gone'), session('kept', { name: 'old name' })];
  const after = [session('kept', { name: 'new name' }), session('new')];
  expect(await follow([before, after], [{ type: 'events-missed' }])).toEqual(after);
});

test('[PAGE-3] each event changes what it is about, and nothing else', async () => {
  const status = { state: 'blocked' };
  const events = [
    { type: 'session-started', session: session('b') },
    { type: 'session-status', id: 'a', status },
    { type: 'session-resized', id: 'a', cols: 80, rows: 24 },
    { type: 'session-renamed', id: 'a', name: 'other' },
    { type: 'session-status', id: 'unknown', status },
    { type: 'session-removed', id: 'c' },
  ];
  expect(await follow([[session('a'), session('c')]], events)).toEqual([
    session('a', { status: status as SessionInfo['status'], size: { cols: 80, rows: 24 }, name: 'other' }),
    session('b'),
  ]);
});
