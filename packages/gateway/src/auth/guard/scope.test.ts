import { SpoolError } from '@spool/protocol';
import { expect, test } from 'vitest';
import { Scope } from './scope.ts';

test('[DOOR-15] an ambiguous reference is to a limited token one that does not exist: no candidate is named', async () => {
  const candidates = 'abcd1111, abcd2222';
  const scope = new Scope(
    { sessions: ['abcd1111'] },
    {
      get: async (session) => {
        throw new SpoolError('SESSION_AMBIGUOUS', { session, candidates });
      },
      list: async () => [],
      offsetAt: async () => 0,
      openRequest: async () => null,
    },
  );
  const error = await scope.resolve('abcd').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'SESSION_UNKNOWN', details: { session: 'abcd' } });
  expect(JSON.stringify(error)).not.toContain('2222');
});

test('[DOOR-15] a session whose label has left the scope is outside from then on, also where only its id is known', () => {
  const directory = {
    get: async () => null!,
    list: async () => [],
    offsetAt: async () => 0,
    openRequest: async () => null,
  };
  const scope = new Scope({ labels: { team: 'red' } }, directory);
  expect([scope.has({ id: 'a', labels: { team: 'red' } }), scope.hasId('a')]).toEqual([true, true]);
  expect([scope.has({ id: 'a', labels: { team: 'blue' } }), scope.hasId('a')]).toEqual([false, false]);
});
