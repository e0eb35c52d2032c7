import { expect, test } from 'vitest';
import { Registry } from './registry.ts';
import type { KeeperSession } from './session.ts';

function registryOf(...sessions: readonly { id: string; name?: string; isRunning?: boolean }[]): Registry {
  const registry = new Registry();
  for (const session of sessions) registry.add({ name: 'sh', isRunning: true, ...session } as KeeperSession);
  return registry;
}

const SESSIONS = [
  { id: 'aaaa1', name: 'build', isRunning: false },
  { id: 'aaaa2', name: 'build', isRunning: false },
  { id: 'aabb3', name: 'web' },
  { id: 'bbbb4', name: 'aaaa1' },
  { id: 'cccc5', name: 'web', isRunning: false },
];

test.each([
  ['an id', 'aaaa1', 'aaaa1'],
  ['the id before a name that looks like it', 'aaaa1', 'aaaa1'],
  ['the beginning of an id', 'bbbb', 'bbbb4'],
  ['a name: the running session before those that ended', 'web', 'aabb3'],
  ['a name: of those that ended, the last', 'build', 'aaaa2'],
  ['nothing: the latest', '', 'cccc5'],
])('a session is found by %s', (_by, reference, id) => {
  expect(registryOf(...SESSIONS).find(reference).id).toBe(id);
});

test.each([['the beginning of two ids', 'aaaa', 'aaaa1 aaaa2']])(
  '%s is ambiguous, and the error names the candidates',
  (_what, reference, candidates) => {
    expect(() => registryOf(...SESSIONS).find(reference)).toThrow(
      expect.objectContaining({ code: 'SESSION_AMBIGUOUS', details: { session: reference, candidates } }),
    );
  },
);

test('[NAME-2] a short name whose session is gone means no other session that has an id beginning so', () => {
  const registry = registryOf(...SESSIONS, { id: 'db4xa', name: 'production' });
  for (const gone of ['d', 'db', 'db4'])
    expect(() => registry.find(gone)).toThrow(expect.objectContaining({ code: 'SESSION_UNKNOWN' }));
  expect(registry.find('db4x').name).toBe('production');
});

test('two running sessions of one name are ambiguous; of many candidates five are told', () => {
  const many = Array.from({ length: 9 }, (_, at) => ({ id: `s${at}`, name: 'twin' }));
  expect(() => registryOf(...many).find('twin')).toThrow(
    expect.objectContaining({
      code: 'SESSION_AMBIGUOUS',
      details: { session: 'twin', candidates: 's0 s1 s2 s3 s4' },
    }),
  );
});

test('what is not there is told apart: no such session, and no session at all', () => {
  expect(() => registryOf(...SESSIONS).find('zzz')).toThrow(expect.objectContaining({ code: 'SESSION_UNKNOWN' }));
  expect(() => registryOf().find('')).toThrow(expect.objectContaining({ code: 'SESSION_NONE' }));
});

test('a name is taken only while its session runs, and a deleted session is not found', () => {
  const registry = registryOf(...SESSIONS);
  expect([registry.isNameTaken('web'), registry.isNameTaken('build'), registry.isNameTaken('no')]).toEqual([
    true,
    false,
    false,
  ]);
  registry.delete('aabb3');
  expect([registry.isNameTaken('web'), registry.get('aabb3'), registry.size]).toEqual([false, undefined, 4]);
  expect(registry.find('aabb3'.slice(0, 0)).id).toBe('cccc5');
  expect(registry.find('web').id).toBe('cccc5');
});
