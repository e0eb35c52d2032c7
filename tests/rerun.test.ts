/** Tests `spool rerun`: the command of an ended session again, alone and for all sessions that a reboot has ended. */
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { SessionInfo } from '@spool/protocol';
import { inNamespace, NAMESPACES_MISSING, TestDaemon } from '@spool/testkit';
import { testNeeding } from '@spool/testkit/needs';
import { expect, test } from 'vitest';
import type { RerunReport } from './bodies/rerun-lost.ts';

test('[RUN-50] `rerun` starts the command in its folder again, as a new session with the same name, size and labels', async () => {
  await using daemon = new TestDaemon();
  const first = await daemon.json<SessionInfo>(
    'run',
    '-d',
    '-n',
    'build',
    '-l',
    'a=b',
    '-C',
    '/usr',
    '--size',
    '90x20',
    '--',
    'pwd',
  );
  await daemon.spool(['wait', first.id]);
  const again = await daemon.json<SessionInfo>('rerun', first.id);
  expect(again).toMatchObject({ name: 'build', command: ['pwd'], cwd: '/usr', size: { cols: 90, rows: 20 } });
  expect(again.labels).toEqual({ a: 'b', 'rerun-of': first.id });
  expect(again.id).not.toBe(first.id);
  await daemon.spool(['wait', again.id]);
  expect((await daemon.spool(['logs', again.id])).stdout).toBe('/usr\n');
  expect((await daemon.spool(['logs', first.id])).stdout).toBe('/usr\n');
});

test('[RUN-50] a session that still runs is not started again', async () => {
  await using daemon = new TestDaemon();
  await daemon.spool(['run', '-d', '-n', 'busy', '--', 'cat']);
  const refused = await daemon.spool(['rerun', 'busy']);
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('busy is still running')]);
  expect(await daemon.spool(['rerun'])).toMatchObject({ code: 2 });
  expect(await daemon.spool(['rerun', 'busy', '--lost'])).toMatchObject({ code: 2 });
});

test('[RUN-52] of several sessions, one that cannot be started is reported, and the others are started', async () => {
  await using daemon = new TestDaemon();
  const folder = mkdtempSync(`${tmpdir()}/spool-rerun-`);
  await daemon.spool(['run', '-d', '-n', 'gone', '-C', folder, '--', 'true']);
  await daemon.spool(['run', '-d', '-n', 'there', '--', 'true']);
  await daemon.spool(['wait', 'gone', 'there']);
  rmdirSync(folder);
  const { code, stdout, stderr } = await daemon.spool(['rerun', 'gone', 'there']);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^spool: gone \(\w+\): .*folder/)]);
  expect(await daemon.json<SessionInfo>('inspect', stdout.trim())).toMatchObject({ name: 'there' });
});

testNeeding(NAMESPACES_MISSING)(
  '[RUN-51] `rerun --lost` shows the list, needs a yes, and starts each lost session once',
  async () => {
    const report = await inNamespace<RerunReport>(new URL('bodies/rerun-lost.ts', import.meta.url));
    expect(report.refused).toMatch(/one[^]*two[^]*use --yes/);
    expect(report.started).toEqual(['one', 'two']);
    expect(report.second).toMatch(/No session is lost/);
  },
);
