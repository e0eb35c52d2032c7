import type { DaemonStatus, SessionInfo } from '@spool/protocol';
import { inNamespace, NAMESPACES_MISSING, SPOOL, Terminal, TestDaemon } from '@spool/testkit';
import { testNeeding } from '@spool/testkit/needs';
import { expect, test } from 'vitest';
import type { RestartReport } from './bodies/restart-under-load.ts';

const env = { PATH: process.env.PATH! };

testNeeding(NAMESPACES_MISSING)(
  '[LIFE-3] `daemon restart` under load replaces both processes: no byte, no key, no exit code and no viewer is lost',
  async () => {
    const restarts = 4;
    const body = new URL('bodies/restart-under-load.ts', import.meta.url);
    const { stream, lines, viewer, exitCodes, pids, codes } = await inNamespace<RestartReport>(body, { restarts });
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(stream).toEqual({ bytes: 48 * 1024 * 1024, exitCode: 7, gaps: 0 });
    expect(lines).toEqual([...lines.slice(0, -1).map((_, at) => `got line ${at + 1}.`), 'got end']);
    expect(viewer.sawAll).toBe(true);
    expect(exitCodes).toEqual([20, 21, 22, 23, 9]);
    expect(pids).toEqual({ keepers: restarts + 1, holders: restarts + 1, left: 2 });
  },
  120_000,
);

test('[LIFE-3] without escrow a restart would end the sessions: it says how many, and needs --force', async () => {
  await using daemon = new TestDaemon({ env: { SPOOL_ESCROW: 'off' } });
  const client = await daemon.client();
  const { id } = await client.run({ command: ['cat'], size: null, env });
  const refused = await daemon.spool(['daemon', 'restart']);
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('1 running session')]);
  expect((await daemon.json<SessionInfo>('inspect', id)).state).toBe('running');
  expect((await daemon.spool(['daemon', 'restart', '--force', '--grace', '0s'])).code).toBe(0);
  expect((await daemon.json<SessionInfo>('inspect', id)).state).not.toBe('running');
});

test('[RUN-25] without a terminal `daemon stop` ends running sessions only with --force, and says what was ended', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  for (const name of ['a', 'b']) await client.run({ command: ['cat'], size: null, env, name });
  const refused = await daemon.spool(['daemon', 'stop']);
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringMatching(/2 running sessions.*--force/)]);
  expect((await client.status()).sessions.running).toBe(2);
  const { code, stdout } = await daemon.spool(['daemon', 'stop', '--force']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('2 running sessions were ended')]);
});

test('[RUN-25] without running sessions `daemon stop` needs no --force', async () => {
  await using daemon = new TestDaemon();
  await daemon.spool(['daemon', 'start']);
  expect((await daemon.spool(['daemon', 'stop'])).code).toBe(0);
});

test('at a terminal `daemon stop` asks before it ends running sessions, and a no stops nothing', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await client.run({ command: ['cat'], size: null, env });
  for (const [answer, told] of [
    ['n\r', 'Nothing was stopped'],
    ['y\r', 'has stopped'],
  ] as const) {
    using terminal = new Terminal([SPOOL, 'daemon', 'stop'], daemon.env);
    await terminal.sees('This ends 1 running session. Stop the daemon? [y/N]');
    expect(await daemon.json<DaemonStatus>('daemon', 'status')).toMatchObject({ sessions: { running: 1 } });
    terminal.type(answer);
    await terminal.sees(told);
  }
});
