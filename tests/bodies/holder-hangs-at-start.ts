/** Stops a holder before its first message: the keeper must not wait for it forever. */
import { readdirSync, readFileSync } from 'node:fs';
import { isAlive, TestDaemon, until } from '@spool/testkit';

export interface HungStart {
  readonly isReplaced: boolean;
}

export default async function hangAtStart(): Promise<HungStart> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { holder } = await client.status();
  process.kill(holder.pid, 'SIGKILL');
  // The next holder, stopped while it loads.
  let next = 0;
  await until('the next holder is there', () => (next = youngHolder(holder.pid)) !== 0);
  process.kill(next, 'SIGSTOP');
  await until('it is replaced', () => !isAlive(next), 60_000);
  return { isReplaced: (await client.status()).holder.pid !== next };
}

function youngHolder(old: number): number {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === old) continue;
    try {
      // `node holder.mjs …`; the fd store also has that name among its arguments.
      const words = readFileSync(`/proc/${name}/cmdline`, 'latin1').split('\0');
      if (words[1]?.endsWith('holder.mjs')) return Number(name);
    } catch {
      // gone meanwhile
    }
  }
  return 0;
}
