import { expect, test } from 'vitest';
import { childEnvironment } from './child-environment.ts';

test.each([
  [
    'who and where',
    { HOME: '/h', USER: 'ada', LOGNAME: 'ada', SHELL: '/bin/zsh', PATH: '/bin', TMPDIR: '/t', TZ: 'UTC' },
  ],
  ['language', { LANG: 'C.UTF-8', LANGUAGE: 'de', LC_ALL: 'C', LC_MONETARY: 'ja_JP' }],
  ['programs of choice', { EDITOR: 'vi', VISUAL: 'vi', PAGER: 'less' }],
  [
    'agents and desktop',
    {
      SSH_AUTH_SOCK: '/s',
      SSH_AGENT_PID: '1',
      DISPLAY: ':0',
      WAYLAND_DISPLAY: 'w',
      XAUTHORITY: '/x',
      DBUS_SESSION_BUS_ADDRESS: 'd',
      XDG_RUNTIME_DIR: '/r',
      XDG_SESSION_TYPE: 'tty',
    },
  ],
  ['network', { http_proxy: 'p', HTTPS_PROXY: 'p', no_proxy: 'n', ALL_PROXY: 'a' }],
  [
    'certificates',
    {
      NODE_EXTRA_CA_CERTS: '/c',
      CURL_CA_BUNDLE: '/c',
      GIT_SSL_CAINFO: '/c',
      PIP_CERT: '/c',
      SSL_CERT_FILE: '/c',
      REQUESTS_CA_BUNDLE: '/c',
    },
  ],
  ['colours', { COLORFGBG: '15;0', NO_COLOR: '1' }],
  ['tools', { VIRTUAL_ENV: '/v', NVM_DIR: '/n', PNPM_HOME: '/p', CARGO_HOME: '/c', GOPATH: '/g', JAVA_HOME: '/j' }],
])('[RUN-1] may pass: %s', (_what, env) => expect(childEnvironment(env, {})).toEqual(env));

test.each([
  ['our own', { SPOOL_HOME: '/x', SPOOL_SESSION: 's', SPOOL_SOCKET: '/s', SPOOL_TOKEN: 't' }],
  ['the settings of the Node that runs us', { NODE_OPTIONS: '--inspect', NODE_ENV: 'test', NODE_PATH: '/n' }],
  [
    'what npm leaves behind',
    { npm_config_cache: '/c', npm_lifecycle_event: 'test', npm_package_name: 'x', INIT_CWD: '/i' },
  ],
  [
    'secrets',
    { AWS_SECRET_ACCESS_KEY: 's', GITHUB_TOKEN: 't', OPENAI_API_KEY: 'k', DATABASE_URL: 'u', PGPASSWORD: 'p' },
  ],
  [
    'the terminal of the caller',
    {
      TERM: 'dumb',
      COLORTERM: 'no',
      TERM_PROGRAM: 'iTerm',
      TMUX: '/t',
      TMUX_PANE: '%1',
      STY: 's',
      COLUMNS: '80',
      LINES: '24',
      GPG_TTY: '/dev/pts/9',
      SSH_TTY: '/dev/pts/9',
      WINDOWID: '1',
    },
  ],
  [
    'what changes how programs are loaded',
    { LD_PRELOAD: '/evil.so', LD_LIBRARY_PATH: '/l', BASH_ENV: '/b', ENV: '/e', IFS: 'x', PYTHONSTARTUP: '/p' },
  ],
  ['names that are almost right', { path: '/p', HOMEX: 'x', XHOME: 'x', LC: 'x', XDG: 'x', xdg_runtime_dir: 'x' }],
])('[RUN-1] does not pass: %s', (_what, env) => expect(childEnvironment(env, {})).toEqual({}));

test('[RUN-1] what is asked for passes, whatever its name, and wins', () => {
  const env = { PATH: '/bin', NODE_ENV: 'test', API_KEY: 'k', SECRET: 's' };
  const extra = {
    PATH: '/mine',
    NODE_ENV: 'production',
    TERM: 'vt100',
    API_KEY: undefined,
    MISSING: undefined,
    EMPTY: '',
  };
  expect(childEnvironment(env, extra)).toEqual({
    PATH: '/mine',
    NODE_ENV: 'production',
    TERM: 'vt100',
    API_KEY: 'k',
    EMPTY: '',
  });
});

test('[RUN-1] what the configuration names passes, by name and by pattern, but never what is the session’s own', () => {
  const env = { AWS_REGION: 'r', AWS_PROFILE: 'p', XAWS_REGION: 'x', API_KEY: 'k', TERM: 'dumb', SPOOL_SESSION: 's' };
  expect(childEnvironment(env, {}, ['AWS_*', 'API_KEY', 'MISSING'])).toEqual({
    AWS_REGION: 'r',
    AWS_PROFILE: 'p',
    API_KEY: 'k',
  });
  expect(childEnvironment(env, {}, ['*'])).not.toHaveProperty('TERM');
  expect(childEnvironment(env, {}, ['*'])).not.toHaveProperty('SPOOL_SESSION');
});

test('variables that are not set are not there at all', () => {
  expect(Object.keys(childEnvironment({ HOME: undefined, PATH: '/bin' }))).toEqual(['PATH']);
});
