import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { SessionInfo } from '@spool/protocol';
import { isAlive, seen, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const env = { PATH: process.env.PATH! };
const PTY = { cols: 80, rows: 24 };

/** Kinds of damage to the folder of a session, which may be running or ended. */
const DAMAGES: Record<string, (folder: string) => void> = {
  'a file where log/ should be': (folder) => {
    renameSync(`${folder}/log`, `${folder}/log.old`);
    writeFileSync(`${folder}/log`, 'not a folder');
  },
  'a log/ that leads nowhere': (folder) => {
    rmSync(`${folder}/log`, { recursive: true });
    symlinkSync(`${folder}/log`, `${folder}/log`);
  },
  'a folder that nobody may enter': (folder) => chmodSync(`${folder}/log`, 0o000),
  'folders where files should be': (folder) => {
    for (const name of ['input.json', 'keys', 'history.ndjson']) {
      rmSync(`${folder}/${name}`, { force: true });
      mkdirSync(`${folder}/${name}`);
    }
  },
  'a record of garbage types': (folder) =>
    writeFileSync(
      `${folder}/session.json`,
      JSON.stringify({ run: { id: {}, command: [1] }, startedAt: 'x', end: 'no', size: [] }),
    ),
  'a pipe where its record should be': (folder) => {
    rmSync(`${folder}/session.json`);
    execFileSync('mkfifo', [`${folder}/session.json`]);
  },
  'a file in its place': (folder) => {
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
  },
};

const UNREADABLE_RECORDS: ReadonlySet<string> = new Set([
  'a record of garbage types',
  'a pipe where its record should be',
  'a file in its place',
]);

test('[LIFE-9] damaged folders cost the next keeper nothing but these sessions: it says what is wrong, and the rest works', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const folderOf = (id: string): string => `${daemon.home}/sessions/${id}`;
  const whole = await client.run({ command: ['cat'], size: PTY, env });
  const damaged: { id: string; what: string; isRunning: boolean }[] = [];
  for (const what of Object.keys(DAMAGES)) {
    for (const isRunning of [true, false]) {
      const command = isRunning ? ['cat'] : ['echo', 'ended'];
      const { id } = await client.run({ command, size: PTY, env });
      if (isRunning) await client.write(id, 'before\r');
      await (isRunning ? seen(client, id, 'before\r\n') : client.wait(id));
      damaged.push({ id, what, isRunning });
    }
  }
  const lost = await client.run({ command: ['echo', 'lost'], size: PTY, env });
  await client.wait(lost.id);
  await until('all ends are on disk', async () => (await client.status()).sessions.running === 1 + damaged.length / 2);
  // The holder releases a session once its end is durable: until then the next keeper would get the end from it.
  const isDurable = (id: string): boolean =>
    !existsSync(`${folderOf(id)}/session.json.last`) &&
    (JSON.parse(readFileSync(`${folderOf(id)}/session.json`, 'utf8')) as { end: unknown }).end !== null;
  const ended = [lost.id, ...damaged.filter(({ isRunning }) => !isRunning).map(({ id }) => id)];
  await until('all ends are durable', () => ended.every(isDurable));
  await client.status();
  for (const { id, what } of damaged) DAMAGES[what]!(folderOf(id));
  // Its end was never written: the next keeper reads the time from its log.
  const record = JSON.parse(readFileSync(`${folderOf(lost.id)}/session.json`, 'utf8')) as object;
  writeFileSync(`${folderOf(lost.id)}/session.json`, JSON.stringify({ ...record, end: null }));
  DAMAGES['a file where log/ should be']!(folderOf(lost.id));

  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  await until('the keeper is gone', () => !isAlive(keeper.pid));
  const after = await client.status();
  await client.write(whole.id, 'still here\r');
  await seen(client, whole.id, 'still here\r\n');
  const listed = new Map((await client.list()).map((info) => [info.id, info]));
  expect(listed.get(lost.id)).toMatchObject({ state: 'lost', trouble: expect.stringContaining('cannot be read') });
  for (const { id, what, isRunning } of damaged) {
    const info = listed.get(id);
    if (isRunning) {
      // Its child continues, accepts input, and ends with its own code.
      expect([what, info?.state]).toEqual([what, 'running']);
      await client.write(id, 'typed\r');
      await client.write(id, '\x04');
      expect([what, (await client.wait(id)).exitCode]).toEqual([what, 0]);
    }
    if (!info) continue;
    // No request about it harms another session.
    for await (const item of client.watch(id, { from: 0, signal: AbortSignal.timeout(20_000) })) void item;
    const refused = await client.screen(id).then(
      () => null,
      (error: unknown) => error,
    );
    if (!isRunning && what === 'a file where log/ should be')
      expect(refused).toMatchObject({ code: 'LOG_UNREADABLE', details: { session: info.name } });
  }
  const troubled = damaged.filter(({ what }) => /log\//.test(what));
  for (const { id, what } of troubled)
    expect([what, listed.get(id)?.trouble]).toEqual([what, expect.stringContaining('cannot be')]);
  const ls = (await daemon.spool(['ls', '--all'])).stdout;
  const doctor = (await daemon.spool(['doctor'])).stdout;
  for (const { id } of troubled) {
    expect(ls).toMatch(new RegExp(`${id}.*cannot be (read|written)`));
    expect(doctor).toMatch(new RegExp(`warn +session ${id} .*cannot be (read|written)`));
  }
  for (const { id, what, isRunning } of damaged)
    if (!isRunning && UNREADABLE_RECORDS.has(what))
      expect(doctor).toMatch(new RegExp(`warn +session folder .*${id} has no readable record`));
  expect((await client.status()).keeper.pid).toBe(after.keeper.pid);
  for (const { id } of troubled) if (existsSync(`${folderOf(id)}/log`)) chmodSync(folderOf(id), 0o700);
}, 120_000);

test('[LIFE-9] a log that can be written again goes on, and what could not be kept meanwhile is an exact gap', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], size: PTY, env });
  await client.write(session.id, 'one\r');
  await seen(client, session.id, 'one\r\n');
  const log = `${daemon.home}/sessions/${session.id}/log`;
  renameSync(log, `${log}.aside`);
  writeFileSync(log, '');
  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  await until('the keeper is gone', () => !isAlive(keeper.pid));
  await client.status();
  await client.write(session.id, 'two\r');
  await until('it is told', async () => (await client.get(session.id)).trouble !== null);
  rmSync(log);
  renameSync(`${log}.aside`, log);
  const writing = setInterval(() => void client.write(session.id, 'three\r').catch(() => {}), 100);
  await until('it is written again', async () => (await client.get(session.id)).trouble === null);
  await seen(client, session.id, 'three');
  clearInterval(writing);
  await client.kill(session.id);
  let text = '';
  let gapBytes = 0;
  for await (const item of client.watch(session.id, { from: 0 })) {
    if (item.type === 'output') text += Buffer.from(item.bytes).toString();
    if (item.type === 'gap') gapBytes += item.to - item.from;
  }
  expect(text).toContain('one\r\n');
  expect(text).toContain('three');
  const info: SessionInfo = await client.get(session.id);
  expect(info.state).toBe('killed');
  expect(text.length + gapBytes).toBe(info.offset);
}, 60_000);
