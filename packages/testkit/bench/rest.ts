/** Measures processes that have nothing to do: private memory, and how often their threads wake up. Neither depends on the clock. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestDaemon } from '@spool/testkit';
import type { Figure } from './figure.ts';

const SESSIONS = 100;
/** The time after which the sessions are examined rarely (decision 261). */
const SETTLED_MS = 130_000;
const MEASURED_MS = 60_000;
const GOAL_PER_SECOND = 2;

/** The number of times that threads have waited and were woken. */
export function wakeUps(pids: readonly number[]): number {
  return pids
    .flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/status`))
    .reduce((sum, path) => sum + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(path, 'utf8'))![1]), 0);
}

export function privateMegabytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return (
    [...text.matchAll(/^Private_\w+:\s+(\d+)/gm)].reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0) / 1024
  );
}

/** Measures how often a daemon with a hundred sleeping sessions wakes up. */
export async function hundredAtRest(): Promise<Figure[]> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  for (let at = 0; at < SESSIONS; at++)
    await client.run({ command: ['sleep', '1000'], size: { cols: 80, rows: 24 }, env: { PATH: process.env.PATH! } });
  const { holder, keeper } = await client.status();
  const pids = [holder.pid, keeper.pid];
  await sleep(SETTLED_MS);
  const before = wakeUps(pids);
  await sleep(MEASURED_MS);
  const perSecond = ((wakeUps(pids) - before) * 1000) / MEASURED_MS;
  return [
    {
      what: `wake-ups of a daemon with ${SESSIONS} sleeping sessions, a second`,
      ours: perSecond.toFixed(2),
      limit: String(GOAL_PER_SECOND),
      ratio: perSecond / GOAL_PER_SECOND,
      goal: ['≤', 1],
    },
  ];
}
