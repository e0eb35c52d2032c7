/** Tests log files that are shortened or deleted by hand or by a cleaner, while the session runs and after its end. */
import { readdirSync, rmSync, truncateSync } from 'node:fs';
import { inNamespace, NAMESPACES_MISSING, TestDaemon } from '@spool/testkit';
import { testNeeding } from '@spool/testkit/needs';
import { describe, expect, test } from 'vitest';
import type { LostLog, LostLogReport } from './bodies/lost-log.ts';

const env = { PATH: process.env.PATH! };
const PTY = { cols: 80, rows: 24 };

describe('[LOG-12] [SCR-6] the log of a running session', () => {
  const cases: LostLog[] = [
    { damage: 'truncated', killed: 'keeper' },
    { damage: 'truncated', killed: 'both' },
    { damage: 'truncated', killed: 'nobody' },
    { damage: 'deleted', killed: 'keeper' },
    { damage: 'deleted', killed: 'nobody' },
    { damage: 'all truncated', killed: 'keeper' },
    { damage: 'folder deleted', killed: 'keeper' },
    { damage: 'folder deleted', killed: 'both' },
    { damage: 'folder deleted', killed: 'nobody' },
  ];
  for (const input of cases) {
    const title = `${input.damage}, ${input.killed} killed: an exact gap, no offset twice, and the screen says so`;
    testNeeding(NAMESPACES_MISSING)(title, () => servesTruly(input));
  }
});

describe('[LOG-12] [SCR-6] the log of an ended session', () => {
  test('all its files emptied or deleted: its length stays, everything is a gap, and the screen says so', async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    for (const damage of ['emptied', 'deleted'] as const) {
      const session = await client.run({ command: ['sh', '-c', 'echo the only line'], size: PTY, env });
      await client.wait(session.id);
      const { keeper } = await client.status();
      const log = `${daemon.home}/sessions/${session.id}/log`;
      if (damage === 'deleted') rmSync(log, { recursive: true });
      else for (const name of readdirSync(log)) truncateSync(`${log}/${name}`, 0);
      process.kill(keeper.pid, 'SIGKILL'); // it may have read the files before
      const lost = [];
      for await (const item of session.watch({ from: 0 }))
        if (item.type === 'gap' || item.type === 'output') lost.push({ ...item, reason: null });
      expect([damage, lost]).toEqual([damage, [{ type: 'gap', from: 0, to: 15, reason: null }]]);
      const { code, stdout, stderr } = await daemon.spool(['screen', session.id]);
      expect([damage, code, stdout, stderr]).toEqual([
        damage,
        0,
        '\n',
        'spool: 15 bytes of its output are no longer stored; this screen is painted without them\n',
      ]);
    }
  });

  test('a sealed segment deleted or shortened is an exact gap, and a screen behind it starts at the next keyframe', async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const script =
      'i=0; while [ $i -lt 200000 ]; do echo "line $i of a long log, long enough for segments"; i=$((i+1)); done';
    const session = await client.run({ command: ['sh', '-c', script], size: PTY, env });
    await client.wait(session.id);
    const folder = `${daemon.home}/sessions/${session.id}`;
    const names = readdirSync(`${folder}/log`)
      .filter((name) => /\.log(\.zst)?$/.test(name))
      .sort();
    const [first, second] = names.map((name) => Number.parseInt(name, 10));
    expect(names.length).toBeGreaterThan(2);
    for (const name of names.filter((name) => Number.parseInt(name, 10) === first)) rmSync(`${folder}/log/${name}`);
    const end = (await client.get(session.id)).offset;
    const gaps = [];
    let bytes = 0;
    for await (const item of session.watch({ from: 0 })) {
      if (item.type === 'gap') gaps.push([item.from, item.to]);
      if (item.type === 'output') bytes += item.bytes.length;
    }
    expect(gaps).toEqual([[0, second]]);
    expect(bytes).toBe(end - second!);
    // The present screen is painted from existing bytes.
    expect(await client.screen(session.id, { format: 'text' })).toMatchObject({ missingBytes: 0 });
    const within = await client.screen(session.id, { format: 'text', at: { offset: second! - 100 } });
    expect(within.missingBytes).toBeGreaterThan(0);
  });
});

async function servesTruly(input: LostLog): Promise<void> {
  const body = new URL('bodies/lost-log.ts', import.meta.url);
  const { before, after, story, screen, blank } = await inNamespace<LostLogReport>(body, input, { withinMs: 120_000 });
  expect({ before, after }).toEqual({ before: 7, after: 7 });
  // Without any file, only the holder knows that offsets were used, but not why they are gone.
  expect(story.replace('<disk', '<damaged')).toBe('<damaged 0-7>second\r\n');
  // The keeper that read the bytes still knows the picture; a new one must report that it does not.
  const isKnown = input.killed === 'nobody';
  const words = 'spool: 7 bytes of its output are no longer stored; this screen is painted without them\n';
  expect(blank).toMatchObject({ code: 0, stdout: isKnown ? 'first\n' : '\n', stderr: isKnown ? '' : words });
  expect(screen).toEqual({
    code: 0,
    stdout: isKnown ? 'first\nsecond\n' : 'second\n',
    stderr: isKnown ? '' : words,
  });
}
