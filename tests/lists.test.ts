/** Tests thousands of ended sessions: they are listed as requested, found by name, and do not delay other requests. */
import { expect, test } from 'vitest';
import type { SessionInfo } from '@spool/client';
import { SPOOL, Terminal, TestDaemon, until, writeEndedSession, writeEndedSessions } from '@spool/testkit';
import { seenBy } from './support/reference-terminal.ts';

const env = { PATH: process.env.PATH! };
const COUNT = 600;

test('[LIST-1] sessions are filtered, ordered and counted by the daemon', async () => {
  await using daemon = new TestDaemon();
  const ids = writeEndedSessions(daemon.home, COUNT);
  const client = await daemon.client();
  const running = await client.run({ command: ['cat'], env, name: 'alive', labels: { team: 'a' } });
  const idsOf = (sessions: readonly SessionInfo[]): string[] => sessions.map(({ id }) => id);

  expect(idsOf(await client.list())).toEqual([...ids, running.id]);
  expect(idsOf(await client.list({ states: ['running'] }))).toEqual([running.id]);
  expect(idsOf(await client.list({ labels: { team: 'a' } }))).toEqual([running.id]);
  expect(idsOf(await client.list({ labels: { team: 'b' } }))).toEqual([]);
  expect(idsOf(await client.list({ name: 'old-7' }))).toEqual([ids[7]]);
  expect(idsOf(await client.list({ isTask: true }))).toEqual([]);
  const { sessions, matching } = await client.listCounted({ states: ['exited'], order: 'newest', limit: 3 });
  expect([idsOf(sessions), matching]).toEqual([ids.slice(-3).reverse(), COUNT]);
  // More than a page, backwards.
  const many = await client.list({ states: ['exited'], order: 'newest', limit: 555 });
  expect(idsOf(many)).toEqual([...ids].reverse().slice(0, 555));
});

test('[LIST-2] `ls` shows what runs and the latest that ended, says how many more there are, and --all shows them', async () => {
  await using daemon = new TestDaemon();
  const ids = writeEndedSessions(daemon.home, 50);
  const client = await daemon.client();
  const { id } = await client.run({ command: ['cat'], env });
  const rows = (text: string): string[] =>
    text
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(' ')[0]!);
  const some = await daemon.spool(['ls']);
  expect(rows(some.stdout)).toEqual([id, ...ids.slice(-10).reverse()]);
  expect(some.stderr).toContain('40 more ended; spool ls -a lists all');
  for (const verb of ['ls', 'ps', 'list']) {
    const all = await daemon.spool([verb, '--all']);
    expect([rows(all.stdout), all.stderr]).toEqual([[id, ...ids.toReversed()], '']);
  }
  expect((await daemon.json<SessionInfo[]>('ls')).map((session) => session.id)).toEqual([...ids, id]);
  expect((await daemon.json<SessionInfo[]>('ls', '--limit', '2')).map((session) => session.id)).toEqual([
    ...ids.slice(-2),
    id,
  ]);
});

test('[LIST-6] `ls` filters by label, state and name, sorts, and prints lines of any form', async () => {
  await using daemon = new TestDaemon();
  const [old] = writeEndedSessions(daemon.home, 12);
  const client = await daemon.client();
  await client.run({ command: ['cat'], env, name: 'Web-1', labels: { team: 'web', 'io.x/y': '' } });
  const asks = await client.run({
    command: ['sh', '-c', 'printf "Continue? [y/N] "; read answer'],
    size: { cols: 80, rows: 24 },
    env,
    name: 'deploy',
    labels: { team: 'ops' },
  });
  const bad = await client.run({ command: ['sh', '-c', 'exit 3'], env, name: 'bad', labels: { team: 'web' } });
  await client.wait(bad.id);
  await client.waitUntil(asks.id, 'blocked', { timeoutMs: 15_000 });
  const listed = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await daemon.spool(['ls', '--format', '{{.name}}', ...args]);
    return code === 0 ? stdout.trim().split('\n').join(' ') : stderr;
  };
  expect(await listed('--limit', '1')).toBe('deploy Web-1 bad');
  expect(await listed('--running')).toBe('deploy Web-1');
  expect(await listed('--running', '--sort=-age')).toBe('Web-1 deploy');
  expect(await listed('--ended', '--limit', '2')).toBe('bad old-11');
  expect(await listed('-f', 'state=blocked')).toBe('deploy');
  expect(await listed('-f', 'state=failed,blocked')).toBe('deploy bad');
  expect(await listed('-f', 'label=team=web')).toBe('Web-1 bad');
  expect(await listed('-f', 'label=team', '-f', 'label=io.x/y')).toBe('Web-1');
  expect(await listed('-f', 'name=WEB', '-f', 'name=old-0')).toBe('Web-1 old-0');
  expect(await listed('-f', 'name=old', '-a', '--sort', '-name')).toMatch(/^old-11 old-10 old-9 .* old-0$/);
  const one = await daemon.spool([
    'ls',
    '-f',
    'name=bad',
    '--format',
    '{{.id}}\\t{{.state}} {{.exitCode}} {{.labels.team}}',
  ]);
  expect(one.stdout).toBe(`${bad.id}\tfailed 3 web\n`);
  const asJson = await daemon.spool(['ls', '--format', 'json', '-f', 'name=old-0']);
  expect((JSON.parse(asJson.stdout) as SessionInfo[]).map(({ id }) => id)).toEqual([old]);
  expect((await daemon.spool(['ls', '--labels', '-f', 'label=team=web', '--running'])).stdout).toMatch(
    /LABELS .*\n.* io\.x\/y,team=web |team=web,io\.x\/y /,
  );
  const none = await daemon.spool(['ls', '-f', 'name=nobody']);
  expect([none.code, none.stdout, none.stderr]).toEqual([0, '', 'No session matches.\n']);
  const wrong = await daemon.spool(['ls', '-f', 'state=busy']);
  expect([wrong.code, wrong.stderr.includes('unknown state')]).toEqual([2, true]);
});

test.each([
  { cols: 200, rows: 50 },
  { cols: 80, rows: 24 },
  { cols: 40, rows: 15 },
  { cols: 12, rows: 5 },
])('[LIST-5] on a terminal of $cols columns no line of `ls` wraps, whatever the sessions are called', async (size) => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  for (const name of ['漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字', `evil \u202e ${'x'.repeat(80)}`, 'short'])
    await client.run({
      command: ['sh', '-c', `sleep 1000 # \x1b[2J ${'long '.repeat(60)}`],
      env,
      name,
      size: { cols: 80, rows: 24 },
    });
  using terminal = new Terminal(['sh', '-c', `${SPOOL} ls --labels; echo "end of it"; sleep 100`], daemon.env, size);
  await terminal.sees('end of it');
  const glass = await seenBy(size, terminal.printed);
  const lines = glass.lines().filter((line) => line !== '');
  expect(lines).toHaveLength(5);
  expect([lines[0]!.includes('NAME'), lines[4]]).toEqual([true, 'end of it']);
  // A wrapped line is one that the terminal itself continued, and a line break follows one that just fits.
  expect(terminal.printed.split('\r\n')).toHaveLength(6);
  expect(terminal.printed).not.toMatch(/\x1b\[2J|\u202e/);
});

test('[LIST-3] a keeper that begins over many ended sessions serves the running ones meanwhile, and then knows all', async () => {
  await using daemon = new TestDaemon();
  const ids = writeEndedSessions(daemon.home, 3000);
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], size: { cols: 80, rows: 24 }, env, name: 'alive' });
  const before = (await client.status()).keeper.pid;
  process.kill(before, 'SIGKILL');
  // By name, by id, the past by id, all at once: each is answered as if all sessions were loaded.
  const answers = await Promise.all([
    client.get('alive'),
    client.get(ids[2999]!),
    client.get('old-1234'),
    client.listCounted({ states: ['exited'], limit: 1 }),
    client.status(),
    client.get(''),
  ]);
  expect([answers[0].id, answers[1].id, answers[2].id, answers[3].matching, answers[5].id]).toEqual([
    session.id,
    ids[2999],
    ids[1234],
    3000,
    session.id,
  ]);
  expect(answers[4].sessions).toEqual({ running: 1, ended: 3000 });
  expect(answers[4].keeper.pid).not.toBe(before);
  await client.write(session.id, 'x');
  await until('the echo is there', async () => (await client.get(session.id)).offset > 0);
});

test('[LIST-4] an ended session says where its log begins, though nobody opened it', async () => {
  await using daemon = new TestDaemon();
  writeEndedSession(`${daemon.home}/sessions`, { id: 'whole0000000', output: 'hello' });
  const client = await daemon.client();
  expect(await client.get('whole0000000')).toMatchObject({ firstOffset: 0, offset: 5 });
  // 6 MiB of which 1 MiB is kept: retention drops the first segment.
  const command = ['sh', '-c', 'head -c 6291456 /dev/zero; exec sleep 10000'];
  const dropped = await client.run({ command, env, retainBytes: 1024 * 1024 });
  await until('it is dropped', async () => (await client.get(dropped.id)).firstOffset > 0, 60_000);
  await client.kill(dropped.id);
  await client.wait(dropped.id);
  const { firstOffset } = await client.get(dropped.id);
  expect(firstOffset).toBe(4 * 1024 * 1024);
  process.kill((await client.status()).keeper.pid, 'SIGKILL');
  const listed = await client.list();
  expect(listed.find(({ id }) => id === dropped.id)?.firstOffset).toBe(firstOffset);
  expect((await client.get(dropped.id)).firstOffset).toBe(firstOffset);
});

test('[NAME-1] names of running sessions are unique, also of sessions that start at the same moment, and while a keeper dies', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const start = (name?: string): Promise<{ readonly info: SessionInfo }> => client.run({ command: ['cat'], env, name });
  const first = await Promise.all(Array.from({ length: 20 }, () => start()));
  process.kill((await client.status()).keeper.pid, 'SIGKILL');
  const second = await Promise.all(Array.from({ length: 20 }, () => start()));
  const names = (await client.list({ states: ['running'] })).map(({ name }) => name);
  expect(names.toSorted()).toEqual(['cat', ...Array.from({ length: 39 }, (_, at) => `cat-${at + 2}`)].toSorted());
  // The answers of `run` equal the list.
  expect([...first, ...second].map(({ info }) => info.name).toSorted()).toEqual(names.toSorted());

  await expect(start('cat-7')).rejects.toMatchObject({ code: 'NAME_TAKEN' });
  const { code, stderr } = await daemon.spool(['run', '-d', '--name', 'cat-7', '--', 'cat']);
  expect([code !== 0, stderr]).toEqual([true, expect.stringMatching(/is used by a running session; choose another/)]);
  await expect(client.update('cat-8', { name: 'cat-7' })).rejects.toMatchObject({ code: 'NAME_TAKEN' });

  // Its name is free once it has ended: the next session may have it, and the name then means the running one.
  const old = await client.stop('cat-7');
  const taken = await start();
  expect([taken.info.name, (await client.get('cat-7')).id]).toEqual(['cat-7', taken.info.id]);
  await client.stop('cat-7');
  expect((await client.get('cat-7')).id).toBe(taken.info.id);
  expect((await client.get(old.id)).name).toBe('cat-7');
});
