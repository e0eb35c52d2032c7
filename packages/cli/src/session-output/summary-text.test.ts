import type { Summary } from '@spool/client/node';
import { expect, test } from 'vitest';
import { pageOf } from './summary-text.ts';
import { statusWith } from '../watch/fixture.ts';

const SUMMARY: Summary = {
  id: 'k3f',
  name: 'build',
  command: ['npm', 'test'],
  cwd: '/home/me/app',
  state: 'failed',
  exitCode: 1,
  signal: null,
  startedAt: 1000,
  endedAt: 193_000,
  durationMs: 192_000,
  status: statusWith({ state: 'exited' }),
  milestones: [{ at: 13_000, name: 'npm-install', title: '412 packages installed', offset: 5 }],
  commands: [{ at: 2000, offset: 3, command: 'make', exitCode: 2, durationMs: 1500 }],
  states: [{ state: 'blocked', kind: 'confirm', at: 9, durationMs: 20_000 }],
  timeIn: { blocked: 20_000, working: 172_000 },
  lastLines: ['3 tests failed\x1b[2J'],
  changedFiles: [
    { path: 'src/x.ts', change: 'modified', isCommitted: false },
    { path: 'new name', change: 'renamed', from: 'old', isCommitted: true },
  ],
};

test('[STATE-7] a summary reads as a page', () => {
  expect(pageOf(SUMMARY)).toEqual([
    'build (k3f) ended (exit code 1) after 3m 12s',
    '  command  npm test',
    '  folder   /home/me/app',
    '  time     working 2m 52s, blocked 20s (1 time)',
    '',
    'milestones',
    '  after 12s: 412 packages installed',
    '',
    'commands',
    '  make: exit code 2, 1.5s',
    '',
    'files changed',
    '  M src/x.ts',
    '  R new name (was old), committed',
    '',
    'last lines',
    '  3 tests failed\\e[2J',
  ]);
  const bare = { ...SUMMARY, milestones: [], commands: [], timeIn: {}, lastLines: [], changedFiles: null };
  expect(pageOf(bare)).toHaveLength(3);
  expect(pageOf({ ...bare, changedFiles: [] }).at(-1)).toBe('no file in its folder has changed');
  expect(pageOf({ ...bare, state: 'running', status: statusWith({ state: 'idle', kind: 'prompt' }) })[0]).toBe(
    'build (k3f) is idle (prompt), running for 3m 12s',
  );
});
