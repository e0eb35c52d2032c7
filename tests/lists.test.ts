/** Thousands of ended sessions: listed as asked, found by name, and in nobody's way. */
import { expect, test } from 'vitest';
import type { SessionInfo } from '@spool/client';
import { TestDaemon, until, writeEndedSession, writeEndedSessions } from '@spool/testkit';

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
  expect(rows(some.stdout)).toEqual([id, ...ids.slice(-20)]);
  expect(some.stderr).toContain('30 more sessions have ended; spool ls --all lists them');
  const all = await daemon.spool(['ls', '--all']);
  expect([rows(all.stdout), all.stderr]).toEqual([[id, ...ids], '']);
  expect((await daemon.json<SessionInfo[]>('ls')).map((session) => session.id)).toEqual([...ids, id]);
  expect((await daemon.json<SessionInfo[]>('ls', '--limit', '2')).map((session) => session.id)).toEqual([
    id,
    ...ids.slice(-2),
  ]);
});

test('[LIST-3] a keeper that begins over many ended sessions serves the running ones meanwhile, and then knows all', async () => {
  await using daemon = new TestDaemon();
  const ids = writeEndedSessions(daemon.home, 3000);
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], size: { cols: 80, rows: 24 }, env, name: 'alive' });
  const before = (await client.status()).keeper.pid;
  process.kill(before, 'SIGKILL');
  // By name, by id, the past by id, all at once: each is answered as if all had been known.
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
  const command = ['sh', '-c', 'head -c 6291456 /dev/zero; sleep 3'];
  const dropped = await client.run({ command, env, retainBytes: 1024 * 1024 });
  await client.wait(dropped.id);
  const { firstOffset } = await client.get(dropped.id);
  expect(firstOffset).toBe(4 * 1024 * 1024);
  process.kill((await client.status()).keeper.pid, 'SIGKILL');
  const listed = await client.list();
  expect(listed.find(({ id }) => id === dropped.id)?.firstOffset).toBe(firstOffset);
  expect((await client.get(dropped.id)).firstOffset).toBe(firstOffset);
});
