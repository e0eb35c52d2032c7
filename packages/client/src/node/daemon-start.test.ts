import { expect, test } from 'vitest';
import { daemonEnvironment } from './daemon-start.ts';

test('[RUN-4] a daemon gets the variables of the list and those for Spool, and nothing else of whoever starts it', () => {
  const kept = {
    HOME: '/home/ada',
    USER: 'ada',
    LOGNAME: 'ada',
    PATH: '/bin',
    LANG: 'C.UTF-8',
    TMPDIR: '/tmp',
    XDG_STATE_HOME: '/s',
    XDG_RUNTIME_DIR: '/r',
    XDG_CONFIG_HOME: '/c',
    SPOOL_HOME: '/spool',
    SPOOL_LOG: 'debug',
  };
  const others = {
    AWS_SECRET_ACCESS_KEY: 'a',
    ANTHROPIC_API_KEY: 'b',
    MY_TOKEN: 'c',
    LD_PRELOAD: '/x.so',
    NODE_OPTIONS: '--import /x.mjs',
    NODE_EXTRA_CA_CERTS: '/x.pem',
    PATHS: 'x',
    XDG_DATA_HOME: '/d',
    SPOOL_SESSION: 'abcdefgh',
    SPOOL_SOCKET: '/s/socket',
    EMPTY: undefined,
  };
  expect(daemonEnvironment({ ...others, ...kept })).toEqual(kept);
});
