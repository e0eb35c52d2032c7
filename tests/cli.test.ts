import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { DaemonStatus, SessionInfo } from '@spool/protocol';
import { isAlive, SPOOL, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

test.each(['logs', 'logs --raw', 'ls'])('[SAY-2] spool %s > a full disk: a sentence, and code 1', async (verb) => {
  await using daemon = new TestDaemon();
  await daemon.spool(['run', '--name', 'long', '--', 'sh', '-c', 'yes | head -100000']);
  const { stderr, status } = spawnSync('sh', ['-c', `${SPOOL} ${verb} ${verb === 'ls' ? '' : 'long'} >/dev/full`], {
    env: daemon.env as NodeJS.ProcessEnv,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([1, 'spool: cannot write the output: no space left on device\n']);
});

test('[SAY-2] an export to a full disk, stdin that is a folder, stdin that is not read, a log level that is none: each is said', async () => {
  await using daemon = new TestDaemon();
  const sh = (line: string): { status: number | null; stderr: string } =>
    spawnSync('sh', ['-c', line.replaceAll('spool', SPOOL)], {
      env: daemon.env as NodeJS.ProcessEnv,
      encoding: 'utf8',
    });
  await daemon.spool(['run', '--name', 'hello', '--', 'echo', 'hello']);
  expect(sh('spool export hello --format text -o /dev/full')).toMatchObject({
    status: 1,
    stderr: 'spool: cannot write "/dev/full": no space left on device\n',
  });
  for (const verb of ['run -- cat', 'attach hello'])
    expect(sh(`spool ${verb} < /`)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('stdin is a folder, which cannot be read'),
    });
  const unread = 'stdin was not read: with --detach, send input with: spool send';
  expect(sh('echo x | spool run -d -- true')).toMatchObject({ status: 0, stderr: expect.stringContaining(unread) });
  expect(sh(`spool run -d -- true < ${import.meta.filename}`)).toMatchObject({
    stderr: expect.stringContaining(unread),
  });
  for (const quiet of [
    'spool run -d -- true < /dev/null',
    'echo x | spool run -d -q -- true',
    'spool run -d -- true <&-',
  ])
    expect([quiet, sh(quiet)]).toMatchObject([quiet, { status: 0, stderr: '' }]);
  expect(sh('spool logs hello --grep h -C -1')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--context must be 0 or more'),
  });
  expect(sh('SPOOL_LOG=loud spool ls')).toMatchObject({
    status: 0,
    stderr: 'spool: SPOOL_LOG="loud" is not a level; use error, warn, info, debug\n',
  });
});

test('the contract for scripts: run -d --json, ls --json, inspect --json, logs --raw, daemon status --json, daemon stop', async () => {
  await using daemon = new TestDaemon();
  const ran = await daemon.json<{ id: string }>(
    'run',
    '-d',
    '--name',
    'greeter',
    '--label',
    'team=a',
    '--',
    'sh',
    '-c',
    'printf "a\\nb"; exit 3',
  );
  expect(ran.id).toMatch(/^[a-z0-9]{8,32}$/);
  await daemon.spool(['wait', ran.id]);
  const inspected = await daemon.json<SessionInfo>('inspect', ran.id);
  expect(inspected).toMatchObject({
    id: ran.id,
    name: 'greeter',
    state: 'failed',
    exitCode: 3,
    signal: null,
    offset: 4,
    labels: { team: 'a' },
  });
  expect(inspected.pid).toBeGreaterThan(0);
  expect(inspected.endedAt).toBeGreaterThanOrEqual(inspected.startedAt);
  const listed = await daemon.json<{ id: string }[]>('ls');
  expect(listed.map(({ id }) => id)).toEqual([ran.id]);
  expect((await daemon.spool(['logs', '--raw', 'greeter'])).bytes).toEqual(Buffer.from('a\r\nb'));
  const status = await daemon.json<DaemonStatus>('daemon', 'status');
  expect([isAlive(status.holder.pid), isAlive(status.keeper.pid)]).toEqual([true, true]);
  await daemon.json('run', '-d', '--', 'sleep', '1000');
  expect((await daemon.spool(['daemon', 'stop', '--force'])).code).toBe(0);
  expect(daemon.processes()).toEqual([]);
  const none = await daemon.spool(['daemon', 'status', '--json']);
  expect({ code: none.code, status: JSON.parse(none.stdout) as unknown }).toEqual({
    code: 1,
    status: { running: false },
  });
});

test('[LOG-1] `logs --raw` gives back the exact bytes, whatever they are', async () => {
  await using daemon = new TestDaemon();
  const folder = mkdtempSync(`${tmpdir()}/spool-test-`);
  const bytes = randomBytes(300_000);
  writeFileSync(`${folder}/bytes`, bytes);
  const { id } = await daemon.json<{ id: string }>(
    'run',
    '-d',
    '--',
    'sh',
    '-c',
    `stty raw -echo; cat ${folder}/bytes`,
  );
  await daemon.spool(['wait', id]);
  expect((await daemon.spool(['logs', '--raw', id])).bytes.equals(bytes)).toBe(true);
  rmSync(folder, { recursive: true });
});

test.each([
  ['the child’s own code', ['run', '--', 'sh', '-c', 'exit 37'], 37],
  ['128 + n on a signal', ['run', '--', 'sh', '-c', 'kill -9 $$'], 137],
  ['127 when there is no such command', ['run', '--', 'no-such-command-here'], 127],
  ['126 when it cannot be executed', ['run', '--', '/etc/passwd'], 126],
  ['124 when a wait times out', ['wait', '--timeout', '50ms', 'sleeper'], 124],
  ['2 on a wrong flag', ['run', '--no-such-flag', '--', 'true'], 2],
  ['2 on an unknown verb', ['atach'], 2],
  ['2 on a folder that is not there', ['run', '--cwd', '/no/such/folder', '--', 'true'], 2],
  ['3 when there is no such session', ['inspect', 'no-such-session'], 3],
  ['3 when the file is not there', ['send', 'sleeper', '--file', '/no/such/file'], 3],
  ['4 when a running session would be removed', ['rm', 'sleeper'], 4],
  ['4 when the name is taken', ['run', '-d', '--name', 'sleeper', '--', 'true'], 4],
  ['1 when the wait ends without its condition', ['wait', 'ended', '--until', 'match:/never/'], 1],
] as const)('[SAY-1] exit codes: %s', async (_what, args, code) => {
  await using daemon = new TestDaemon();
  await daemon.json('run', '-d', '--name', 'sleeper', '--', 'sleep', '1000');
  await daemon.spool(['run', '--name', 'ended', '--', 'true']);
  const ran = await daemon.spool(args);
  expect({ code: ran.code, stderr: ran.stderr }).toMatchObject({ code });
  if (code === 2 || code === 3 || code === 4 || code === 127 || code === 126)
    expect(ran.stderr).toMatch(/^spool: .{10,}/);
});

test('a streaming run passes bytes, both streams and the input of a pipeline through', async () => {
  await using daemon = new TestDaemon();
  const ran = await daemon.spool(['run', '--pipes', '--', 'sh', '-c', 'tr a-z A-Z; echo problem >&2; exit 5'], {
    input: 'hello\n',
  });
  expect(ran).toMatchObject({ code: 5, stdout: 'HELLO\n' });
  expect(ran.stderr).toContain('problem\n');
});

test('a filter that ends before its input is read says nothing of its own', async () => {
  await using daemon = new TestDaemon();
  for (let round = 0; round < 12; round++) {
    const { code, stdout, stderr } = await daemon.spool(['run', '--pipes', '--', 'echo', 'a']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'a\n', stderr: '' });
  }
});

test('wait says why it ended: exit, match, timeout', async () => {
  await using daemon = new TestDaemon();
  const { id } = await daemon.json<{ id: string }>(
    'run',
    '-d',
    '--',
    'sh',
    '-c',
    'printf "\\033[1mready on \\033[0mport 80\\n"; read x; exit 4',
  );
  expect(await daemon.json('wait', id, '--until', 'match:/ready on port (\\d+)/')).toMatchObject({
    id,
    reason: 'match',
  });
  const late = await daemon.spool(['wait', id, '--timeout', '20ms', '--json']);
  expect({ code: late.code, answer: JSON.parse(late.stdout) as unknown }).toMatchObject({
    code: 124,
    answer: { reason: 'timeout' },
  });
  await daemon.spool(['send', id, '--enter', 'x']);
  const ended = await daemon.spool(['wait', id, '--json']);
  expect({ code: ended.code, answer: JSON.parse(ended.stdout) as unknown }).toMatchObject({
    code: 4,
    answer: { reason: 'exit', exitCode: 4 },
  });
});

test('send and keys type into a session; stop, kill and rm end and remove it', async () => {
  await using daemon = new TestDaemon();
  const { id } = await daemon.json<{ id: string }>('run', '-d', '--', 'bash', '--norc');
  await daemon.spool(['send', id, 'echo a$((2+3))']);
  await daemon.spool(['keys', id, 'Enter']);
  await daemon.spool(['wait', id, '--until', 'match:/a5/']);
  expect(await daemon.json('stop', id)).toMatchObject({ state: 'stopped' });
  expect((await daemon.spool(['rm', id])).code).toBe(0);
  expect(await daemon.json('ls')).toEqual([]);
});

test('[IN-5] `keys` presses what the program expects: an arrow in an editor is not an arrow in a shell', async () => {
  await using daemon = new TestDaemon();
  const script = `stty raw -echo; printf ready; dd bs=1 count=3 2>/dev/null | od -An -c; printf '\\033[?1hset'; dd bs=1 count=3 2>/dev/null | od -An -c; echo done`;
  const { id } = await daemon.json<{ id: string }>('run', '-d', '--', 'sh', '-c', script);
  await daemon.spool(['wait', id, '--until', 'match:/ready/']);
  await daemon.spool(['keys', id, 'Up']);
  await daemon.spool(['wait', id, '--until', 'match:/set/']);
  await daemon.spool(['keys', id, 'Up']);
  await daemon.spool(['wait', id, '--until', 'match:/done/']);
  const { stdout } = await daemon.spool(['logs', '--raw', id]);
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/033 \[ A .*033 O A /);
});

test('`ls -q` lists ids, and with --names what else sessions are found by', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const options = { command: ['true'], name: 'my api' };
  const ids = [(await client.run(options)).id];
  await client.wait(ids[0]!);
  ids.push((await client.run(options)).id);
  expect((await daemon.spool(['ls', '-q'])).stdout.split('\n').toSorted()).toEqual(['', ...ids].toSorted());
  const named = await daemon.spool(['ls', '-q', '--names']);
  expect(named.stdout.split('\n').toSorted()).toEqual(['', 'my api', ...ids].toSorted());
  expect((await daemon.spool(['ls', '--names'])).code).toBe(2);
});

test('`events` refuses a type that never happens, and says what was probably meant', async () => {
  await using daemon = new TestDaemon();
  const mistyped = await daemon.spool(['events', '-f', '-t', 'session-statuz']);
  expect(mistyped).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean session-status?') as string,
  });
  const unknown = await daemon.spool(['events', '-t', 'doomsday']);
  expect(unknown).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('use one of: session-started, ') as string,
  });
});

test('`logs -f` follows to the end and then ends', async () => {
  await using daemon = new TestDaemon();
  const { id } = await daemon.json<{ id: string }>('run', '-d', '--', 'sh', '-c', 'echo one; read x; echo two');
  const following = daemon.spool(['logs', '-f', id]);
  await until('it is being followed', async () => (await daemon.json<SessionInfo>('inspect', id)).watchers > 0);
  expect((await daemon.spool(['keys', id, 'Enter'])).code).toBe(0);
  expect((await following).stdout).toMatch(/one\r?\n\r?\n?two/);
});

test('[SAY-4] `events` tells statuses and milestones of the past, by name; --since leaves out what was before', async () => {
  await using daemon = new TestDaemon();
  await daemon.spool(['run', '--name', 'install', '--', 'sh', '-c', 'echo "added 12 packages in 3s"; exit 3']);
  const all = (await daemon.spool(['events'])).stdout;
  expect(all).toMatch(/^\d\d:\d\d:\d\d {2}install has started: sh -c /);
  expect(all).toMatch(/\d {2}install: 12 packages installed\n/);
  expect(all).toMatch(/\d {2}install exited with code 3\n$/);
  const statuses = (await daemon.spool(['events', 'install', '-t', 'session-status'])).stdout;
  expect(statuses).toMatch(/\d {2}install has ended\n$/);
  // As in the example of the help: a duration alone is an age.
  expect((await daemon.spool(['events', '--since', '1h'])).stdout).toBe(all);
  const later = Date.now() + 60_000;
  expect(await daemon.spool(['events', '--since', `${later}`])).toMatchObject({ code: 0, stdout: '' });
  expect(await daemon.spool(['events', '--since', '@12'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not a time'),
  });
});
