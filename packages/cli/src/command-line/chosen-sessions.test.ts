import type { SessionInfo } from '@spool/protocol';
import { expect, test } from 'vitest';
import { chosenFrom } from './chosen-sessions.ts';

const session = (name: string, startedAt: number, endedAt: number | null): SessionInfo =>
  ({ name, startedAt, endedAt, state: endedAt === null ? 'running' : 'exited' }) as SessionInfo;
const SESSIONS = [
  session('server', 100, null),
  session('fresh', 900, null),
  session('long', 0, 990),
  session('old', 0, 10),
];

test.each([
  ['running', undefined, 'server fresh'],
  ['running', 500, 'server'],
  ['ended', undefined, 'long old'],
  ['ended', 500, 'old'], // by its end, not by its start
  ['any', 500, 'server old'],
] as const)('[RUN-20] %s sessions older than %s: %s', (kind, olderThan, names) => {
  expect(
    chosenFrom(SESSIONS, { kind, olderThan }, 1000)
      .map(({ name }) => name)
      .join(' '),
  ).toBe(names);
});
