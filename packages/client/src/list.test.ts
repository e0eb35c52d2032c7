import { type Requests, type SessionInfo, SpoolError } from '@spool/protocol';
import { expect, test } from 'vitest';
import { listSessions } from './list.ts';

type ListRequest = Requests['list']['ask'];

const sessions = Array.from({ length: 10 }, (_, at) => {
  const info = { id: `s${at}`, name: `n${at}`, state: at < 8 ? 'exited' : 'running', labels: {}, isTask: false };
  return info as unknown as SessionInfo;
});
const ids = (listed: { readonly sessions: readonly SessionInfo[] }): string[] => listed.sessions.map(({ id }) => id);

test('[LIST-1] pages are asked for until there are as many as wanted', async () => {
  const asked: ListRequest[] = [];
  const ask = async (what: ListRequest): Promise<Requests['list']['answer']> => {
    asked.push(what);
    const from = what.after === undefined ? 0 : sessions.findIndex(({ id }) => id === what.after) + 1;
    const page = sessions.slice(from, from + Math.min(3, what.limit ?? 3));
    return { sessions: page, next: from + 3 >= sessions.length ? null : page.at(-1)!.id, matching: sessions.length };
  };
  const listed = await listSessions(ask, { limit: 5, order: 'oldest' });
  expect([ids(listed), listed.matching]).toEqual([['s0', 's1', 's2', 's3', 's4'], 10]);
  expect(asked).toEqual([
    { limit: 5, order: 'oldest' },
    { limit: 2, order: 'oldest', after: 's2' },
  ]);
  expect(ids(await listSessions(ask, {}))).toHaveLength(10);
});

test('[LIST-1] a daemon of before lists all, and the client chooses', async () => {
  const old = async ({ after, ...others }: ListRequest): Promise<Requests['list']['answer']> => {
    if (Object.keys(others).length > 0) throw new SpoolError('REQUEST_UNKNOWN', { op: 'list' });
    return after === undefined
      ? { sessions: sessions.slice(0, 6), next: 's5' }
      : { sessions: sessions.slice(6), next: null };
  };
  const listed = await listSessions(old, { states: ['exited'], order: 'newest', limit: 2 });
  expect([ids(listed), listed.matching]).toEqual([['s7', 's6'], 8]);
});

test('[LIST-1] another refusal is passed on, and not taken for that of a daemon of before', async () => {
  const asked: ListRequest[] = [];
  const busy = async (what: ListRequest): Promise<Requests['list']['answer']> => {
    asked.push(what);
    throw new SpoolError('DAEMON_STOPPING');
  };
  await expect(listSessions(busy, { limit: 2 })).rejects.toMatchObject({ code: 'DAEMON_STOPPING' });
  expect(asked).toHaveLength(1);
});
