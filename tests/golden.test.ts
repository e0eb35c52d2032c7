/** Tests the screens that a user sees, at three sizes, made from a real daemon. */
import { SPOOL, TestDaemon, seen, until, writeEndedSession } from '@spool/testkit';
import type { Client } from '@spool/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectPrinted, expectScreen } from './support/golden.ts';

const SIZES = [
  { cols: 80, rows: 24 },
  { cols: 200, rows: 50 },
  { cols: 40, rows: 15 },
] as const;

const env = { PATH: process.env.PATH!, TERM: 'xterm-256color', LANG: 'C.UTF-8', PS1: '$ ', HOME: '/' };
const size = { cols: 80, rows: 24 };
/** Folders that every machine has, in no repository. */
const cwd = '/usr/share';
/** A screen of 200×50 on which every place is different. */
const MAP =
  'for row in $(seq 1 49); do printf "row %s" $row; for col in $(seq 20 20 180); do printf "\\033[%s;%sHcol %s" $row $col $col; done; echo; done; printf "cursor here>"; exec sleep 1000';

let daemon: TestDaemon;
let client: Client;

beforeAll(async () => {
  daemon = new TestDaemon();
  const sessions = `${daemon.home}/sessions`;
  const day = 86_400_000;
  const now = Date.now();
  for (let at = 1; at <= 12; at++) {
    const id = `ended${String(at).padStart(5, '0')}`;
    const endedAt = now - 2.5 * day - at * 3_600_000;
    const output = 'all tests pass\r\n';
    writeEndedSession(sessions, {
      id,
      name: 'test',
      startedAt: endedAt - 60_000,
      endedAt,
      output,
      run: { command: ['npm', 'test'], cwd },
    });
  }
  client = await daemon.client();
  const shell = ['bash', '--norc', '--noprofile', '-i'];
  const asks = 'echo "About to push 3 commits to origin/main"; read -p "Continue? [y/N] " answer; exec sleep 1000';
  const builds =
    'printf "\\033]0;Building the report\\007"; for part in 1 2 3; do echo "compiling part $part of 3"; done; exec sleep 1000';
  await client.run({
    id: 'builds0000',
    name: 'build',
    command: ['sh', '-c', builds],
    cwd: '/usr/lib',
    env,
    size,
    labels: { team: 'web' },
  });
  await client.run({ id: 'deploys000', name: 'deploy', command: ['bash', '-c', asks], cwd, env, size });
  await client.run({ id: 'shell00000', name: 'shell', command: shell, cwd, env, size });
  await client.run({
    id: 'map0000000',
    name: 'map',
    command: ['sh', '-c', MAP],
    cwd,
    env,
    size: { cols: 200, rows: 50 },
    sizePolicy: 'fixed',
  });
  const fails = 'echo "error: 漢字 is not a word"; exit 3';
  await client.run({ id: 'spelling00', name: 'spelling', command: ['sh', '-c', fails], cwd, env, size, isTask: true });
  await client.run({
    id: 'install000',
    name: 'install',
    command: ['sh', '-c', 'echo "added 412 packages in 3s"; exec sleep 1000'],
    cwd,
    env,
    size,
    isTask: true,
  });
  await client.waitUntil('deploy', 'blocked', { timeoutMs: 30_000 });
  await until('its question is known', async () => (await client.get('deploy')).status.question !== undefined, 30_000);
  await client.waitUntil('shell', 'idle', { timeoutMs: 30_000 });
  await client.wait('spelling');
  await seen(client, 'map', 'cursor here>');
  await seen(client, 'build', 'part 3 of 3');
});

afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
});

test.each(SIZES)('[LIST-5] `ls` in $cols×$rows looks as it should', async (at) => {
  await expectPrinted('ls', `${SPOOL} ls`, daemon, at);
});

test.each(SIZES)('[WATCH-40] `watch` in $cols×$rows looks as it should', async (at) => {
  await expectScreen('watch', [SPOOL, 'watch'], daemon, at, { after: 'Continue? [y' });
});

test.each(SIZES)('[WATCH-4] a question in `watch` in $cols×$rows looks as it should', async (at) => {
  await expectScreen('watch-answer', [SPOOL, 'watch'], daemon, at, { after: 'Continue? [y', keys: ' ' });
});

test.each(SIZES)('[WATCH-40] the help of `watch` in $cols×$rows looks as it should', async (at) => {
  await expectScreen('watch-help', [SPOOL, 'watch'], daemon, at, { after: 'Continue? [y', keys: '?' });
});

test.each(SIZES)(
  '[WATCH-40] `watch` with the preview of a larger session in $cols×$rows looks as it should',
  async (at) => {
    await expectScreen('watch-preview', [SPOOL, 'watch'], daemon, at, {
      after: 'Continue? [y',
      keys: '/map\rv\x1b[Cv',
    });
  },
);

test.each(SIZES)('`help` in $cols×$rows looks as it should', async (at) => {
  await expectPrinted('help', `${SPOOL} help`, daemon, at);
});

test.each(SIZES)('`help ls` in $cols×$rows looks as it should', async (at) => {
  await expectPrinted('help-ls', `${SPOOL} help ls`, daemon, at);
});

test.each(SIZES)('[TASK-2] `task ls` in $cols×$rows looks as it should', async (at) => {
  await expectPrinted('task', `${SPOOL} task ls`, daemon, at);
});

test.each(SIZES)('[SIZE-6] `attach -r` to a session of 200×50 in $cols×$rows looks as it should', async (at) => {
  await expectScreen('attach', [SPOOL, 'attach', '-r', 'map'], daemon, at, { after: 'cursor here>' });
  expect((await client.get('map')).size).toEqual({ cols: 200, rows: 50 });
});
