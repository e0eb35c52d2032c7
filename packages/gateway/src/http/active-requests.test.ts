import { afterEach, expect, test, vi } from 'vitest';
import type { Principal } from '../auth/principal.ts';
import { type EndReason, REQUESTS_OF_VIEWER_MAX, SOCKETS_OF_VIEWER_MAX, ActiveRequests } from './active-requests.ts';

const who = (over: Partial<Principal> = {}): Principal => ({
  id: 't',
  kind: 'token',
  name: 'test',
  role: 'viewer',
  scope: {},
  expiresAt: null,
  ...over,
});

afterEach(() => vi.useRealTimers());

test('[DOOR-12] what a token has opened ends by the clock on the wall, although no timer has moved', () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const activeRequests = new ActiveRequests();
  const ended: [string, EndReason][] = [];
  const expiresAt = Date.now() + 3_600_000;
  activeRequests.open(who({ id: 'hour', expiresAt }), 'socket', (why) => ended.push(['hour', why]));
  activeRequests.open(who({ id: 'for ever' }), 'socket', (why) => ended.push(['for ever', why]));
  vi.advanceTimersByTime(2000);
  expect(ended).toEqual([]);
  vi.setSystemTime(expiresAt + 1); // the laptop has slept
  vi.advanceTimersByTime(1000);
  expect(ended[0]).toEqual(['hour', 'expired']);
  expect(ended.some(([id]) => id === 'for ever')).toBe(false);
});

test('nothing is looked at while nothing can expire', () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const activeRequests = new ActiveRequests();
  const over = activeRequests.open(who({ expiresAt: Date.now() + 1000 }), 'socket', () => {});
  expect(vi.getTimerCount()).toBe(1);
  over();
  over(); // a second call has no effect
  activeRequests.open(who(), 'socket', () => {});
  expect(vi.getTimerCount()).toBe(0);
});

test('[DOOR-41] a viewer, all browsers of a share link, and everybody together have a limit', () => {
  const activeRequests = new ActiveRequests(1000);
  const open = (principal: Principal, count: number, kind: 'request' | 'socket' = 'socket'): (() => void)[] =>
    Array.from({ length: count }, () => activeRequests.open(principal, kind, () => {}));
  const [first] = open(who({ id: 'browser 1', parent: 'link' }), SOCKETS_OF_VIEWER_MAX - 1);
  open(who({ id: 'browser 2', parent: 'link' }), 1);
  expect(() => open(who({ id: 'browser 3', parent: 'link' }), 1)).toThrow('too many requests');
  first!();
  open(who({ id: 'browser 3', parent: 'link' }), 1);
  open(who({ id: 'operator', role: 'operator' }), 750 - SOCKETS_OF_VIEWER_MAX - REQUESTS_OF_VIEWER_MAX);
  expect(() => open(who({ id: 'another' }), REQUESTS_OF_VIEWER_MAX + 1, 'request')).toThrow('too many requests');
  for (const role of ['viewer', 'operator', 'owner'] as const)
    expect(() => open(who({ id: role, role }), 1)).toThrow('too many requests');
});

test('[DOOR-12] a revoked token closes what it has opened, and no other; a link in a notification is no token', () => {
  const activeRequests = new ActiveRequests();
  const ended: string[] = [];
  for (const id of ['kept', 'revoked']) activeRequests.open(who({ id }), 'socket', () => ended.push(id));
  const link = { ask: 'a-b', action: '0', expiresAt: 0, nonce: '' };
  activeRequests.open(who({ id: 'notification', link }), 'socket', () => ended.push('notification'));
  activeRequests.closeRevoked((id) => id === 'kept');
  expect(ended).toEqual(['revoked']);
});
