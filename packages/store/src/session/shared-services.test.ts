import { expect, test } from 'vitest';
import { serviceNameOf, type ServiceSigns } from './shared-services.ts';

const FOLDERS = ['/state/sessions/abc'];
const RELEASE = '/home/u/.codex/packages/app-server-daemon/releases/0.169.0-x86_64-unknown-linux-musl/bin/codex';
const SOCKETS = ['/tmp/codex-daemon-0/28165a'];

/** Command lines and files of the real programs. */
test.each<[string, string | null, Partial<ServiceSigns>]>([
  [
    'Codex 0.169',
    "Codex's shared service",
    { command: `${RELEASE} app-server --listen unix:// --analytics-default-enabled --managed-daemon` },
  ],
  ['its updater', "Codex's updater", { command: `${RELEASE} app-server daemon pid-update-loop` }],
  [
    'a release that was replaced',
    "Codex's shared service",
    { command: `${RELEASE} app-server --managed-daemon`, program: `${RELEASE} (deleted)` },
  ],
  [
    'Claude 2.1.326',
    "Claude's background service",
    {
      command: '/usr/bin/claude daemon run --origin transient --spawned-by {"label":"claude --bg"}',
      program: '/usr/lib/claude',
      sockets: ['/tmp/cc-daemon-0/13a/control.sock'],
    },
  ],
  [
    'a background session of Claude',
    "Claude's background session",
    {
      command: 'claude bg-pty-host --bg-pty-host /tmp/cc-daemon-0/13a/spare/e.pty.sock 200 50 -- claude',
      program: '/usr/lib/claude',
      sockets: ['/tmp/cc-daemon-0/13a/spare/e.pty.sock'],
    },
  ],
  ['a server that Codex was given for one session', null, { command: `${RELEASE} app-server --listen unix:///tmp/s` }],
  ['the terminal program', null, { command: `${RELEASE} resume --last` }],
  ['a prompt that reads like one', null, { command: `${RELEASE} explain app-server --managed-daemon` }],
  [
    'another program with these words',
    null,
    { command: 'codex app-server --managed-daemon', program: '/usr/bin/python3' },
  ],
  ['one that serves nobody', null, { command: `${RELEASE} app-server --managed-daemon`, sockets: [] }],
  [
    'one that listens in a folder of the session only',
    null,
    { command: `${RELEASE} app-server --managed-daemon`, sockets: ['/state/sessions/abc/s'] },
  ],
])('[RUN-26] shared services: %s', (_, name, signs) => {
  expect(serviceNameOf({ command: '', program: RELEASE, sockets: SOCKETS, ...signs }, FOLDERS)).toBe(name);
});
