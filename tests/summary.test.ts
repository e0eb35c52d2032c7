import type { Summary } from '@spool/client/node';
import { summarize } from '@spool/client/node';
import { SPOOL, Terminal, TestDaemon } from '@spool/testkit';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';

const LONG_AGO = '2020-01-01T00:00:00Z';

/** Creates a repository that contains one old file. */
function repository(): { readonly path: string } & Disposable {
  const path = mkdtempSync(`${tmpdir()}/spool-summary-`);
  const env = { ...process.env, GIT_AUTHOR_DATE: LONG_AGO, GIT_COMMITTER_DATE: LONG_AGO };
  writeFileSync(`${path}/old.txt`, 'old\n');
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'old'],
  ])
    execFileSync('git', ['-C', path, ...args], { env });
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A script that works, asks, and fails. */
const SCRIPT = [
  'echo "beginning"; echo; echo "----------"',
  'printf "10%%\\r"; printf "50%%\\r"; printf "all parts built\\n"',
  'read -p "Continue? [y/N] " answer',
  'echo "new" > new.txt; echo "more" >> old.txt',
  'echo "3 tests failed"; exit 3',
].join('; ');

test('[STATE-7] a summary tells the command, the end, the states, what was reached, the last lines and the changed files', async () => {
  await using daemon = new TestDaemon();
  using folder = repository();
  const client = await daemon.client();
  const { id } = await client.run({
    command: ['bash', '-c', SCRIPT],
    cwd: folder.path,
    name: 'build',
    env: { PATH: process.env.PATH! },
  });
  expect((await client.waitUntil(id, 'blocked', { timeoutMs: 15_000 })).reason).toBe('blocked');
  const running = await summarize(client, id);
  expect([running.state, running.endedAt, running.status.state]).toEqual(['running', null, 'blocked']);
  expect(running.changedFiles).toEqual([]);
  expect(running.lastLines.at(-1)).toBe('Continue? [y/N]');

  await client.write(id, 'y\n');
  await client.wait(id, { timeoutMs: 15_000 });
  const summary = await daemon.json<Summary & Record<string, never>>('summary', 'build');
  expect(summary).toMatchObject({ id, name: 'build', state: 'failed', exitCode: 3, signal: null, cwd: folder.path });
  expect(summary.lastLines).toEqual(['beginning', 'all parts built', 'Continue? [y/N] y', '3 tests failed']);
  expect(summary.changedFiles).toEqual([
    { path: 'new.txt', change: 'added', isCommitted: false },
    { path: 'old.txt', change: 'modified', isCommitted: false },
  ]);
  writeFileSync(`${folder.path}/late.txt`, 'made after its end');
  expect((await summarize(client, id)).changedFiles).toEqual(summary.changedFiles);
  expect(summary.states.map(({ state }) => state)).toContain('blocked');
  expect(summary.timeIn.blocked).toBeGreaterThan(0);
  // From the start on, one state after the other; what is after the last one is its end.
  const { states, timeIn, startedAt, endedAt } = await summarize(client, id);
  const until = states.reduce((at, span) => (expect(span.at).toBe(at), at + span.durationMs), startedAt);
  expect(Object.values(timeIn).reduce((sum, ms) => sum + ms, 0)).toBe(until - startedAt);
  expect(until).toBeLessThanOrEqual(endedAt!);

  const { stdout } = await daemon.spool(['summary', 'build']);
  expect(stdout).toMatch(/^build \(\w+\) ended \(exit code 3\) after /);
  for (const text of ['blocked', 'A new.txt', 'M old.txt', '3 tests failed']) expect(stdout).toContain(text);
});

test('[STATE-7] a full-screen program is summed up by its last screen; a session on pipes by its lines; outside of git there are no files', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const env = { PATH: process.env.PATH! };
  const screen = await client.run({
    command: [
      'bash',
      '-c',
      'echo before; printf "\\033[?1049h"; for n in 1 2 3; do printf "\\033[H\\033[2Jframe $n\\n│ in a box │"; done; exec sleep 1000',
    ],
    env,
  });
  const pipes = await client.run({ command: ['sh', '-c', 'echo one; echo two >&2'], size: null, env, cwd: '/' });
  await client.waitUntil(screen.id, 'output', { after: 100, timeoutMs: 15_000 });
  expect((await summarize(client, screen.id)).lastLines).toEqual(['frame 3', 'in a box']);
  await client.wait(pipes.id);
  const summary = await summarize(client, pipes.id);
  expect([...summary.lastLines].sort()).toEqual(['one', 'two']);
  expect(summary.changedFiles).toBe(null);
});

test('[STATE-7] `run --summary` tells it at the end, on standard error, also in a terminal; the exit code stays', async () => {
  await using daemon = new TestDaemon();
  const script = 'echo "data"; exit 3';
  const { code, stdout, stderr } = await daemon.spool(['run', '--summary', '--pipes', '--', 'sh', '-c', script]);
  expect([code, stdout]).toEqual([3, 'data\n']);
  expect(stderr).toContain('ended (exit code 3) after');

  using terminal = new Terminal([SPOOL, 'run', '--summary', '--', 'sh', '-c', script], daemon.env);
  await terminal.sees('ended (exit code 3) after');
  expect((await terminal.ended()).code).toBe(3);

  const refused = await daemon.spool(['run', '--summary', '-d', '--', 'true']);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
});
