import type { Role } from '@spool/protocol';
import { expect, test } from 'vitest';
import { HeldBytes, OPERATOR_BYTES_MAX, STRANGERS_BYTES_MAX, VIEWER_BYTES_MAX } from './held-bytes.ts';
import type { Principal } from '../auth/principal.ts';

const who = (id: string, role: Role, parent?: string): Principal => ({
  id,
  kind: 'token',
  name: id,
  role,
  scope: {},
  expiresAt: null,
  ...(parent !== undefined && { parent }),
});

test.each([
  ['strangers', null, STRANGERS_BYTES_MAX],
  ['a viewer', who('v', 'viewer'), VIEWER_BYTES_MAX],
  ['a prompter', who('p', 'prompter'), VIEWER_BYTES_MAX],
  ['an operator', who('o', 'operator'), OPERATOR_BYTES_MAX],
] as const)(
  '[DOOR-26] %s: beyond the limit the connection that holds the most is closed',
  (_whose, principal, most) => {
    const held = new HeldBytes();
    const closed: string[] = [];
    const small = held.open(principal, () => closed.push('small'));
    small.set(100);
    const large = held.open(principal, () => closed.push('large'));
    large.set(most - 100);
    expect(closed).toEqual([]);
    small.set(101);
    expect(closed).toEqual(['large']);
    large.set(most); // later bytes of a closed connection do not count
    small.set(most);
    expect(closed).toEqual(['large']);
    small.set(most + 1);
    expect(closed).toEqual(['large', 'small']);
  },
);

test('[DOOR-26] tokens count apart, browsers of one share link together, and what has ended does not count', () => {
  const held = new HeldBytes();
  const closed: string[] = [];
  const open = (name: string, principal: Principal): ReturnType<HeldBytes['open']> =>
    held.open(principal, () => closed.push(name));
  open('a', who('a', 'viewer')).set(VIEWER_BYTES_MAX);
  const ended = open('b', who('b', 'viewer'));
  ended.set(VIEWER_BYTES_MAX);
  ended.end();
  open('b again', who('b', 'viewer')).set(VIEWER_BYTES_MAX);
  expect(closed).toEqual([]);
  open('one browser', who('c', 'viewer', 'link')).set(VIEWER_BYTES_MAX);
  open('another', who('d', 'viewer', 'link')).set(1);
  expect(closed).toEqual(['one browser']);
});
