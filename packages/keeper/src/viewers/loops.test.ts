import { expect, test } from 'vitest';
import { refuseLoop } from './loops.ts';

/** Creates sessions from pairs: [the session in whose terminal the viewer runs, the session that it shows]. */
function sessionsOf(...shown: readonly [inside: string | undefined, session: string][]) {
  return {
    get: (id: string) => ({
      watchers: shown.filter(([, session]) => session === id).map(([inside]) => ({ inside })),
    }),
  };
}

test('[ATT-13] a session is not shown inside itself, nor in one that it shows, however many are between', () => {
  expect(() => refuseLoop(sessionsOf(), 'a', 'a')).toThrow('this terminal is inside that session');
  expect(() => refuseLoop(sessionsOf(['a', 'b']), 'a', 'b')).toThrow('that session shows this terminal');
  expect(() => refuseLoop(sessionsOf(['a', 'b'], ['b', 'c'], ['c', 'd']), 'a', 'd')).toThrow('that session shows');
});

test('everything else is shown: beside each other, one after the other, from outside', () => {
  const sessions = sessionsOf(['a', 'b'], ['b', 'c'], [undefined, 'c'], ['x', 'y'], ['y', 'x']);
  expect(() => refuseLoop(sessions, 'c', 'a')).not.toThrow();
  expect(() => refuseLoop(sessions, 'd', 'c')).not.toThrow();
  expect(() => refuseLoop(sessions, 'a', undefined)).not.toThrow();
  expect(() => refuseLoop(sessions, 'a', 'y')).not.toThrow(); // a circle of other sessions ends the search too
});
