import type { SessionInfo } from '@spool/client';
import { expect, test } from 'vitest';
import { groupsOf, labelKeys } from './groups.ts';

const session = (
  id: string,
  state: SessionInfo['state'],
  cwd: string,
  labels: Record<string, string> = {},
): SessionInfo => ({ id, state, cwd, labels }) as unknown as SessionInfo;

const SESSIONS = [
  session('a', 'exited', '/b'),
  session('b', 'running', '/a', { team: 'web' }),
  session('c', 'running', '/b', { team: 'core', host: 'x' }),
  session('d', 'running', '', { team: 'web' }),
];

const shown = (...options: Parameters<typeof groupsOf>): unknown =>
  groupsOf(...options).map(({ title, sessions }) => [title, sessions.map(({ id }) => id).join('')]);

test.each([
  [
    'state',
    [],
    [
      ['Running', 'bcd'],
      ['Ended', 'a'],
    ],
  ],
  [
    'state',
    ['c', 'a'],
    [
      ['Pinned', 'ac'],
      ['Running', 'bd'],
    ],
  ],
  [
    'folder',
    [],
    [
      ['/a', 'b'],
      ['/b', 'ac'],
      ['Others', 'd'],
    ],
  ],
  [
    'label team',
    [],
    [
      ['core', 'c'],
      ['web', 'bd'],
      ['Others', 'a'],
    ],
  ],
] as const)('by %s, pinned %j', (arrangement, pinned, expected) => {
  expect(shown(SESSIONS, { arrangement, pinned: new Set<string>(pinned) })).toEqual(expected);
});

test('the labels that there are', () => expect(labelKeys(SESSIONS)).toEqual(['host', 'team']));
