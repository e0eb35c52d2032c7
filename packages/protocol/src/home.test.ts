import { expect, test } from 'vitest';
import { homeFrom, SOCKET_PATH_BYTES_MAX } from './home.ts';

test.each([
  [
    'only HOME',
    { HOME: '/home/ada' },
    ['/home/ada/.local/state/spool', '/home/ada/.local/state/spool/run', '/home/ada/.config/spool'],
  ],
  [
    'the XDG folders',
    { HOME: '/home/ada', XDG_STATE_HOME: '/s', XDG_RUNTIME_DIR: '/run/user/7', XDG_CONFIG_HOME: '/c/' },
    ['/s/spool', '/run/user/7/spool', '/c/spool'],
  ],
  [
    'relative XDG folders are ignored, as their specification asks',
    { HOME: '/home/ada', XDG_STATE_HOME: 's', XDG_RUNTIME_DIR: './r', XDG_CONFIG_HOME: '' },
    ['/home/ada/.local/state/spool', '/home/ada/.local/state/spool/run', '/home/ada/.config/spool'],
  ],
  [
    'SPOOL_HOME before all',
    { SPOOL_HOME: '/x/y', HOME: '/h', XDG_STATE_HOME: '/s' },
    ['/x/y', '/x/y/run', '/x/y/config'],
  ],
  ['SPOOL_HOME without HOME', { SPOOL_HOME: '/x' }, ['/x', '/x/run', '/x/config']],
  ['a slash at the end', { SPOOL_HOME: '/x//' }, ['/x', '/x/run', '/x/config']],
  [
    'an empty SPOOL_HOME is none',
    { SPOOL_HOME: '', HOME: '/h/' },
    ['/h/.local/state/spool', '/h/.local/state/spool/run', '/h/.config/spool'],
  ],
])('%s', (_what, env, expected) => {
  const { state, run, config } = homeFrom(env, 1000);
  expect([state, run, config]).toEqual(expected);
});

test('everything of a daemon lies in its folders', () => {
  expect(homeFrom({ SPOOL_HOME: '/x' }, 1000)).toEqual({
    state: '/x',
    run: '/x/run',
    runs: ['/x/run'],
    config: '/x/config',
    sessions: '/x/sessions',
    socket: '/x/run/spool.sock',
    lock: '/x/daemon.lock',
    address: '/x/daemon.address',
    daemonLog: '/x/daemon.log',
  });
});

test.each([
  ['nothing', {}],
  ['an empty HOME', { HOME: '' }],
  ['a relative HOME', { HOME: 'ada' }],
  ['a relative SPOOL_HOME', { SPOOL_HOME: 'x', HOME: '/h' }],
])('%s is refused: no folder of ours may depend on where we stand', (_what, env) => {
  expect(() => homeFrom(env, 1000)).toThrow(expect.objectContaining({ code: 'FOLDER_REFUSED' }));
});

test.each([
  ['ascii', 'x'],
  ['two bytes each', 'é'],
  ['four bytes each', '🧵'],
])('a path of any length gives a socket that the kernel takes (%s)', (_what, character) => {
  for (let length = 1; length < 120; length++) {
    const home = homeFrom({ SPOOL_HOME: `/${character.repeat(length)}` }, 1000);
    const near = `/${character.repeat(length)}/run/spool.sock`;
    expect(Buffer.byteLength(home.socket)).toBeLessThanOrEqual(SOCKET_PATH_BYTES_MAX);
    expect(home.socket === near).toBe(Buffer.byteLength(near) <= SOCKET_PATH_BYTES_MAX);
  }
});

test("[LIFE-0] lock and address are the state folder's, whatever the runtime folder; there the socket may be, too", () => {
  const ofEnvironments = [{}, { XDG_RUNTIME_DIR: '/run/user/7' }, { XDG_RUNTIME_DIR: '/other' }].map((env) =>
    homeFrom({ HOME: '/h', ...env }, 7),
  );
  for (const { lock, address, runs } of ofEnvironments) {
    expect([lock, address]).toEqual(['/h/.local/state/spool/daemon.lock', '/h/.local/state/spool/daemon.address']);
    expect(runs.at(-1)).toBe('/h/.local/state/spool/run');
  }
  expect(ofEnvironments.map(({ run }) => run)).toEqual([
    '/h/.local/state/spool/run',
    '/run/user/7/spool',
    '/other/spool',
  ]);
});

test('the short folder is the same for everybody who asks, and another for another home or user', () => {
  const deep = (name: string, uid: number): string => homeFrom({ SPOOL_HOME: `/${name.repeat(110)}` }, uid).run;
  expect(deep('a', 1000)).toBe(deep('a', 1000));
  expect(deep('a', 1000)).toMatch(/^\/tmp\/spool-1000-[a-z0-9]+$/);
  expect(new Set([deep('a', 1000), deep('b', 1000), deep('a', 1001)]).size).toBe(3);
});
