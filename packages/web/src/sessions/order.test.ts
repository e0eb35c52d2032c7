import { expect, test } from 'vitest';
import type { SessionInfo } from '@spool/client';
import { inOrder, matches } from './order.ts';

function session(name: string, part: object = {}): SessionInfo {
  const status = { state: 'idle', since: 0, ...('status' in part ? (part.status as object) : {}) };
  return {
    id: name,
    name,
    state: 'running',
    command: ['sh'],
    cwd: '/',
    title: '',
    labels: {},
    startedAt: 0,
    endedAt: null,
    ...part,
    status,
  } as unknown as SessionInfo;
}

test('what waits comes first, the longest wait before the others; the ended come last, the latest first', () => {
  const sessions = [
    session('old', { state: 'exited', endedAt: 1 }),
    session('idle'),
    session('asks', { status: { state: 'blocked', since: 20 } }),
    session('new', { state: 'exited', endedAt: 9 }),
    session('asked before', { status: { state: 'blocked', since: 10 } }),
    session('works', { status: { state: 'working' } }),
  ];
  expect(inOrder(sessions).map(({ name }) => name)).toEqual(['asked before', 'asks', 'works', 'idle', 'new', 'old']);
});

test.each([
  ['', true],
  ['CLAUDE', true],
  ['claude web', true],
  ['team=web', true],
  ['idle', true],
  ['claude api', false],
])('a search for %j finds it: %s', (search, expected) => {
  expect(matches(session('claude', { labels: { team: 'web' } }), search)).toBe(expected);
});
