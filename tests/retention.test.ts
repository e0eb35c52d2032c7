/** Tests deletion by age: old output, ended sessions, folders that never became a session. */
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Client } from '@spool/client';
import { TestDaemon, until, writeEndedSession } from '@spool/testkit';

const env = { PATH: process.env.PATH! };
const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const DAY_MS = 24 * 60 * 60 * 1000;
const SEGMENT_BYTES = 4 * 1024 * 1024;
const SWEPT_WITHIN_MS = 60_000;
/** Longer than the time until the housekeeper has examined a session that grew: later output is deleted by the sweep. */
const RETAIN_MS = 8000;

/** Returns the first item for a reader at the very beginning. */
async function firstGap(client: Client, id: string): Promise<unknown> {
  for await (const item of client.watch(id, { from: 0 }))
    if (item.type === 'gap' || item.type === 'output') return item;
  return null;
}

test('[LOG-5] the daemon drops what is too old without any growth, of running and of ended sessions', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const run = (rest: string): Promise<{ id: string }> =>
    client.run({ command: ['sh', '-c', `head -c ${SEGMENT_BYTES + 1000} /dev/zero${rest}`], env, retainMs: RETAIN_MS });
  const [running, ended] = [await run('; exec sleep 1000'), await run('')];
  const firstOffset = async ({ id }: { id: string }): Promise<number> => (await client.get(id)).firstOffset;
  for (const session of [running, ended]) {
    await until('it is dropped', async () => (await firstOffset(session)) === SEGMENT_BYTES, SWEPT_WITHIN_MS);
    const gap = { type: 'gap', from: 0, to: SEGMENT_BYTES, reason: 'retention' };
    expect(await firstGap(client, session.id)).toMatchObject(gap);
  }
});

test('[LOG-5] events of an agent go by age too, with its output; `rm` removes both logs', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  // Some megabytes of texts, and then silence: they are deleted by the sweep.
  const agent = await client.agent('claude', {
    prompt: 'escapes 30',
    program: [process.execPath, AGENT, `${daemon.home}/received.ndjson`],
    env,
    retainMs: RETAIN_MS,
  });
  const firstItem = async (): Promise<unknown> => {
    await using events = client.watchEvents(agent.id, { from: 0 });
    for await (const item of events) return item;
    return null;
  };
  await until('the first is there', async () => (await firstItem()) !== null, SWEPT_WITHIN_MS);
  const isGone = async (): Promise<boolean> => ((await firstItem()) as { type?: string } | null)?.type === 'gap';
  await until('the first is gone', isGone, SWEPT_WITHIN_MS);
  expect(await firstItem()).toMatchObject({ type: 'gap', from: 0 });
  expect(existsSync(`${daemon.home}/sessions/${agent.id}/events`)).toBe(true);
  await client.kill(agent.id);
  expect(await daemon.spool(['rm', agent.id])).toMatchObject({ code: 0 });
  expect(existsSync(`${daemon.home}/sessions/${agent.id}`)).toBe(false);
});

test('[LOG-8] ended sessions past their age are removed when a daemon starts, and that is told', async () => {
  await using daemon = new TestDaemon();
  const sessions = `${daemon.home}/sessions`;
  const old = writeEndedSession(sessions, { id: 'old000000000', endedAt: Date.now() - 31 * DAY_MS, output: 'x' });
  writeEndedSession(sessions, { id: 'young0000000', endedAt: Date.now() - 29 * DAY_MS });
  const client = await daemon.client();
  const told = (async () => {
    for await (const event of client.events({ types: ['session-removed'] })) return event;
    return null;
  })();
  expect((await client.list()).map(({ id }) => id)).toEqual(['old000000000', 'young0000000']);
  expect(await told).toMatchObject({ type: 'session-removed', id: 'old000000000' });
  expect((await client.list()).map(({ id }) => id)).toEqual(['young0000000']);
  expect(existsSync(old)).toBe(false);
  await until('nothing is left of it', () => readdirSync(sessions).length === 1, SWEPT_WITHIN_MS);
});

test('[LOG-8] keepEnded in config.json says how many are kept, and doctor says what is wrong with it', async () => {
  await using daemon = new TestDaemon();
  const sessions = `${daemon.home}/sessions`;
  const ids = ['one', 'two', 'three', 'four'].map((name, at) => {
    const id = name.padEnd(12, '0');
    writeEndedSession(sessions, { id, endedAt: Date.now() - (400 - at) * DAY_MS });
    return id;
  });
  mkdirSync(`${daemon.home}/config`, { recursive: true, mode: 0o700 });
  writeFileSync(`${daemon.home}/config/config.json`, '{ "keepEnded": { "age": null, "count": 2 } }');
  const client = await daemon.client();
  const listed = async (): Promise<string[]> => (await client.list()).map(({ id }) => id);
  await until('two are left', async () => (await listed()).length === 2, SWEPT_WITHIN_MS);
  expect(await listed()).toEqual(ids.slice(2));
  expect((await daemon.spool(['doctor'])).stdout).not.toContain('keepEnded');
  writeFileSync(`${daemon.home}/config/config.json`, '{ "keepEnded": { "age": "soon" } }');
  expect((await daemon.spool(['doctor'])).stdout).toMatch(/warn.*keepEnded\.age must be/);
});

test('[LOG-10] an empty folder without a record goes after a day; one with data stays, and doctor names it', async () => {
  await using daemon = new TestDaemon();
  const sessions = `${daemon.home}/sessions`;
  const [empty, full] = [`${sessions}/empty0000000`, `${sessions}/full00000000`];
  for (const folder of [empty, full]) mkdirSync(`${folder}/log`, { recursive: true, mode: 0o700 });
  writeFileSync(`${full}/log/0000000000000000.log`, 'precious');
  const yesterday = (Date.now() - 2 * DAY_MS) / 1000;
  for (const folder of [empty, full]) utimesSync(folder, yesterday, yesterday);
  await daemon.client();
  await until('the empty one is gone', () => !existsSync(empty), SWEPT_WITHIN_MS);
  expect(readdirSync(`${full}/log`)).toEqual(['0000000000000000.log']);
  expect((await daemon.spool(['doctor'])).stdout).toMatch(/warn.*full00000000 has no readable record/);
});

test('[LOG-8] a session that was lost counts from when that was noticed, however long ago it last printed', async () => {
  await using daemon = new TestDaemon();
  const sessions = `${daemon.home}/sessions`;
  const at = Date.now() - 100 * DAY_MS;
  // It was running, long without output, when the machine stopped: its record has no end.
  const folder = writeEndedSession(sessions, { id: 'lost00000000', startedAt: at, endedAt: at + 1000, output: 'x' });
  const record = JSON.parse(readFileSync(`${folder}/session.json`, 'utf8')) as object;
  writeFileSync(`${folder}/session.json`, JSON.stringify({ ...record, end: null }));
  writeEndedSession(sessions, { id: 'old000000000', endedAt: at, output: 'x' });
  const client = await daemon.client();
  await until('the other is swept', async () => (await client.list()).length === 1, SWEPT_WITHIN_MS);
  expect(await client.list()).toMatchObject([{ id: 'lost00000000', state: 'lost', offset: 1 }]);
  process.kill((await client.status()).keeper.pid, 'SIGKILL');
  const { keeper } = await client.status();
  writeEndedSession(sessions, { id: 'next00000000', endedAt: at, output: 'x' });
  process.kill(keeper.pid, 'SIGKILL'); // the third keeper reads it from its record
  expect((await client.list()).length).toBe(2);
  await until('it has been swept again', async () => (await client.list()).length === 1, SWEPT_WITHIN_MS);
  expect(await client.list()).toMatchObject([{ id: 'lost00000000', state: 'lost' }]);
});
