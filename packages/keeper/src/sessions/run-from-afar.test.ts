import type { RunRequest } from '@spool/protocol';
import { expect, test } from 'vitest';
import { runFromAfar } from './run-from-afar.ts';

const DAEMON = {
  HOME: '/home/ada',
  PATH: '/opt/bin:/bin',
  LANG: 'C.UTF-8',
  SHELL: '/bin/sh',
  SPOOL_HOME: '/x',
  NODE_ENV: 'x',
};
const RUN: RunRequest = { id: 'abcdefgh', command: ['ls'], cwd: '/srv', env: { A: '1' } };

const AFAR = { base: 'daemon', env: {} } as const;
const FILLED = {
  base: undefined,
  env: { HOME: '/home/ada', PATH: '/opt/bin:/bin', SHELL: '/bin/sh', LANG: 'C.UTF-8' },
};

test.each<[string, Partial<RunRequest>, Partial<RunRequest>]>([
  ['a local request is left alone', {}, {}],
  ['the home folder', { ...AFAR, cwd: '~' }, { ...FILLED, cwd: '/home/ada' }],
  ['a folder in it', { ...AFAR, cwd: '~/src' }, { ...FILLED, cwd: '/home/ada/src' }],
  ['an absolute folder', AFAR, FILLED],
  [
    'the environment of the daemon without its own variables, and what was asked for on top',
    { base: 'daemon', env: { LANG: 'de_DE.UTF-8' } },
    {
      base: undefined,
      env: { HOME: '/home/ada', PATH: '/opt/bin:/bin', SHELL: '/bin/sh', LANG: 'de_DE.UTF-8' },
    },
  ],
  [
    'without a command, the shell',
    { base: 'daemon', command: [], env: {} },
    {
      base: undefined,
      command: ['/bin/sh'],
      env: { HOME: '/home/ada', PATH: '/opt/bin:/bin', SHELL: '/bin/sh', LANG: 'C.UTF-8' },
    },
  ],
])('[REM-5] %s', (_what, asked, filled) => {
  expect(runFromAfar({ ...RUN, ...asked }, DAEMON)).toEqual({ ...RUN, ...asked, ...filled });
});
