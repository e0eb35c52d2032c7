import { readFileSync } from 'node:fs';
import { seen, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const env = { PATH: process.env.PATH! };
const LINE = /^\d{4}-\d\d-\d\dT[\d:.]+Z (error|warn |info |debug) (holder|keeper)\[\d+\]: ./;

/** Returns the lines of its log; those of a stack belong to the line before them. */
const linesOf = (daemon: TestDaemon): readonly string[] =>
  readFileSync(`${daemon.home}/daemon.log`, 'utf8').split('\n').slice(0, -1);

test('[LIFE-13] with SPOOL_LOG=debug the log tells who asked for what and how it ended, and nothing of the content', async () => {
  await using daemon = new TestDaemon({ env: { SPOOL_LOG: 'debug' } });
  const client = await daemon.client({ who: 'ann' });
  const session = await client.run({ command: ['sh', '-c', 'echo printed-secret; exec cat'], size: null, env });
  await seen(client, session.id, 'printed-secret');
  await client.write(session.id, 'typed-secret\n');
  await seen(client, session.id, 'typed-secret');
  await expect(client.get('nothing-of-that-name')).rejects.toMatchObject({ code: 'SESSION_UNKNOWN' });
  await client.stop(session.id);
  await until('the end is told', () => linesOf(daemon).some((line) => line.includes(`${session.id} has ended`)));
  const lines = linesOf(daemon);
  expect(lines.filter((line) => !LINE.test(line))).toEqual([]);
  const told = lines.join('\n');
  expect(told).toMatch(new RegExp(String.raw`debug keeper\[\d+\]: ann: stop ${session.id}: answered after [\d.]+ ms`));
  expect(told).toMatch(/ann: get nothing-of-that-name: failed with SESSION_UNKNOWN after/);
  expect(told).toContain(`session ${session.id} has started as process`);
  expect(told).not.toContain('secret');
});

test('[LIFE-13] without it there is no line of a request; with SPOOL_LOG=error not even of a start', async () => {
  for (const [level, isStartTold] of [
    [undefined, true],
    ['error', false],
  ] as const) {
    await using daemon = new TestDaemon({ env: level === undefined ? {} : { SPOOL_LOG: level } });
    await (await daemon.client()).list();
    const lines = linesOf(daemon);
    expect(lines.some((line) => line.includes('holder') && line.endsWith('started'))).toBe(isStartTold);
    expect(lines.filter((line) => / debug /.test(line))).toEqual([]);
  }
});

test('[LIFE-13] a word that is no level is reported in the log, and counts as info', async () => {
  await using daemon = new TestDaemon({ env: { SPOOL_LOG: 'loud' } });
  await daemon.client();
  expect(linesOf(daemon).join('\n')).toContain('SPOOL_LOG="loud" is not a level; use error, warn, info, debug');
});
