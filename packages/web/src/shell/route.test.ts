import { expect, test } from 'vitest';
import { addressOf, type PageRoute, routeOf } from './route.ts';

test.each<PageRoute>([
  { page: 'home' },
  { page: 'start', what: 'command' },
  { page: 'start', what: 'agent' },
  { page: 'settings' },
  { page: 'session', id: 'abc', view: 'terminal' },
  { page: 'session', id: 'abc', view: 'terminal', event: 12 },
  { page: 'session', id: 'abc', view: 'time' },
  { page: 'session', id: 'abc', view: 'time', offset: 4711 },
  { page: 'session', id: 'abc', view: 'summary' },
  { page: 'session', id: 'abc', view: 'cards' },
  { page: 'session', id: 'abc', view: 'wire' },
])('an address leads back to its page: %o', (route) => expect(routeOf(addressOf(route))).toEqual(route));

test.each(['', '#', '#/s/', '#code=x', '#/nothing/else'])('%j is the front page', (hash) =>
  expect(routeOf(hash)).toEqual({ page: 'home' }),
);
