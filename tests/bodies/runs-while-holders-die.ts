/** Starts sessions while one holder after the other is killed: each request is answered, and each session has one process. */
import { readdirSync, readFileSync } from 'node:fs';
import { TestDaemon } from '@spool/testkit';

const ROUNDS = 5;
const RUNS = 6;

export default async function runsWhileHoldersDie(): Promise<object> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const env = { PATH: process.env.PATH! };
  const ids: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { holder } = await client.status();
    const runs = Array.from({ length: RUNS }, (_, index) => {
      if (index === RUNS / 2) process.kill(holder.pid, 'SIGKILL');
      return client.run({ command: ['sleep', '1000'], size: index % 2 ? null : { cols: 80, rows: 24 }, env });
    });
    for (const { id } of await Promise.all(runs)) ids.push(id);
  }
  const infos = await client.list();
  return {
    answered: new Set(ids).size,
    states: [...new Set(infos.map(({ state }) => state))],
    processes: new Set(ids.map((id) => carriersOf(id).join())).size,
    isEachTheChild: infos.every(({ id, pid }) => carriersOf(id).join() === String(pid)),
  };
}

function carriersOf(id: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'latin1').includes(`SPOOL_SESSION=${id}\0`);
    } catch {
      return false; // gone meanwhile
    }
  });
}
