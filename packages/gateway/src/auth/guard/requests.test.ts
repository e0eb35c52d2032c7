import { SpoolError } from '@spool/protocol';
import { expect, test } from 'vitest';
import { checkRole, rewriteForScope } from './requests.ts';
import type { Scope } from './scope.ts';

/** A token for the session `mine` alone. */
const scope = {
  from: undefined,
  labelsOfNew: null,
  learn: async () => {},
  resolve: async (session: string) => {
    if (session !== 'mine') throw new SpoolError('SESSION_UNKNOWN', { session });
    return 'id-of-mine';
  },
} as unknown as Scope;

test('[DOOR-15] a limited token sees miniatures of its own sessions, and of no other', async () => {
  const seen = { offset: 1, stamp: '1.1' };
  await expect(rewriteForScope(scope, { op: 'grids', tiles: [{ session: 'mine', seen }] })).resolves.toEqual({
    op: 'grids',
    tiles: [{ session: 'id-of-mine', seen }],
  });
  for (const tiles of [[{ session: 'other' }], [{ session: 'mine' }, { session: 'other' }], [{}]])
    await expect(rewriteForScope(scope, { op: 'grids', tiles })).rejects.toThrow(/no such session/);
});

test.each(['force', 'clear'])('[DOOR-9] a prompt with `%s` is for those who may type', (word) => {
  for (const role of ['prompter', 'operator'] as const) {
    const check = (): unknown => checkRole(role, false, { op: 'prompt', session: 'mine', text: 'x', [word]: true });
    if (role === 'operator') expect(check()).toMatchObject({ op: 'prompt' });
    else expect(check).toThrow(/operator/);
  }
  expect(checkRole('prompter', false, { op: 'prompt', session: 'mine', text: 'x' })).toMatchObject({ op: 'prompt' });
});
