/** Tests the fd store: holder and keeper are killed together under load, the store itself is killed, input is closed. */
import { outputOf, TestDaemon, until } from '@spool/testkit';
import { readFileSync } from 'node:fs';
import type { Client } from '@spool/client';

const env = { PATH: process.env.PATH! };
const LINES = 4000;
const COUNTS = `i=0; while [ $i -lt ${LINES} ]; do echo $i; i=$((i+1)); [ $((i%20)) -eq 0 ] && sleep 0.02; done; exit 7`;
const KILLS = 4;

export interface FdStoreReport {
  readonly isWhole: boolean;
  readonly exitCode: number | null;
  /** The exit code after its input was closed, and both were killed. */
  readonly catEnded: number | null;
  readonly kills: number;
  readonly storesAfterKill: number;
  readonly memoryKiB: number;
}

export default async function (): Promise<FdStoreReport> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const size = { cols: 80, rows: 24 };
  const counts = await client.run({ command: ['sh', '-c', COUNTS], size, env });
  const cat = await client.run({ command: ['sh', '-c', 'cat; exit 5'], env });
  const [firstStore] = daemon.stores();
  const memoryKiB = privateKiB(firstStore!);
  let kills = 0;
  for (; kills < KILLS && (await client.get(counts.id)).state === 'running'; kills++) {
    await killBoth(client);
    if (kills === 1) {
      // The store is killed as well, but not at the same moment: another one replaces it.
      const [store] = daemon.stores();
      process.kill(store!, 'SIGKILL');
      await until('there is another store', () => daemon.stores().some((pid) => pid !== store));
      await client.status();
    }
  }
  const storesAfterKill = daemon.stores().length;
  await client.closeInput(cat.id);
  const { exitCode: catEnded } = await client.wait(cat.id);
  const { exitCode } = await client.wait(counts.id);
  const expected = Array.from({ length: LINES }, (_, at) => `${at}\r\n`).join('');
  const isWhole = (await outputOf(client, counts.id)).toString() === expected;
  return { isWhole, exitCode, catEnded, kills, storesAfterKill, memoryKiB };
}

async function killBoth(client: Client): Promise<void> {
  const { holder, keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  process.kill(holder.pid, 'SIGKILL');
  await until('both are others', async () => {
    const now = await client.status().catch(() => null);
    return now !== null && now.holder.pid !== holder.pid && now.keeper.pid !== keeper.pid;
  });
}

function privateKiB(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return [...rollup.matchAll(/^Private_(?:Clean|Dirty): +(\d+)/gm)].reduce((sum, [, kib]) => sum + Number(kib), 0);
}
