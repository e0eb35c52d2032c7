/** Uses up the files of one process just when the other dies. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { isAlive, seen, TestDaemon, until } from '@spool/testkit';

/** The processes that must start the other one again. */
const SURVIVORS = ['keeper', 'holder'] as const;

export default async function deathWithoutFiles(): Promise<string[]> {
  const faults: string[] = [];
  for (const survivor of SURVIVORS) {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const { id } = await client.run({
      command: ['cat'],
      size: { cols: 80, rows: 24 },
      env: { PATH: process.env.PATH! },
    });
    await client.write(id, 'before\r');
    await seen(client, id, 'before\r\n');
    const before = await client.status();
    const { pid } = before[survivor];
    const victim = survivor === 'keeper' ? before.holder.pid : before.keeper.pid;
    const limit = (files: number): void =>
      void execFileSync('prlimit', ['--pid', String(pid), `--nofile=${files}:20000`]);
    limit(readdirSync(`/proc/${pid}/fd`).length);
    process.kill(victim, 'SIGKILL');
    await until('the victim is gone', () => !isAlive(victim));
    limit(20_000);
    await client.writeOnce(id, 'after', 'after\r');
    await seen(client, id, 'after\r\n').catch(() => faults.push(`the ${survivor} lost the session`));
    const after = await client.status();
    if (after[survivor].pid !== pid) faults.push(`the ${survivor}, which was well, was replaced`);
  }
  return faults;
}
