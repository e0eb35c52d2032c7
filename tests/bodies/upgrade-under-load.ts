/**
 * Runs `spool daemon upgrade`, several times, while sessions run, watchers follow them, tasks are awaited and agents wait for an
 * answer. Then everything is brought to its end, and nothing may be missing or doubled.
 */
import { writeFileSync } from 'node:fs';
import type { Client } from '@spool/client';
import { TestDaemon, until } from '@spool/testkit';
import { askingAgent } from '../support/asking-agent.ts';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };
const SEE_MS = 60_000;

export interface UpgradeLoad {
  readonly upgrades: number;
  readonly sessions: number;
  readonly watchers: number;
  readonly tasks: number;
  readonly agents: number;
}

export interface UpgradeLoadReport {
  /** The reports of the upgrades: what each says has continued. */
  readonly reports: readonly { readonly upgraded: boolean; readonly sessions: number; readonly requests: number }[];
  readonly keepers: number;
  /** The sessions whose process is another one, or gone. */
  readonly changed: readonly string[];
  /** The first number of each watcher that is missing or came twice; null if all came once and in order. */
  readonly faults: readonly (number | null)[];
  readonly exitCodes: readonly (number | null)[];
  /** The answers that each agent has received. */
  readonly answers: readonly (readonly string[])[];
}

export default async function (load: UpgradeLoad): Promise<UpgradeLoadReport> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const [go, stop] = [`${daemon.home}/go`, `${daemon.home}/stop`];
  const cats = await Promise.all(
    Array.from({ length: load.sessions }, () => client.run({ command: ['cat'], size: PTY, env })),
  );
  const pids = new Map(cats.map(({ id, info }) => [id, info.pid]));
  const count = `i=0; while [ ! -e ${stop} ]; do i=$((i+1)); echo "n $i."; sleep 0.02; done; echo end`;
  const counter = await client.run({ command: ['sh', '-c', count], size: PTY, env });
  const watching = Array.from({ length: load.watchers }, () => firstFault(client, counter.id));
  const tasks = Array.from({ length: load.tasks }, (_, at) =>
    client.runShell(`while [ ! -e ${go} ]; do sleep 0.1; done; exit ${at}`, { env }),
  );
  const agents = [];
  for (let at = 0; at < load.agents; at++) agents.push(await askingAgent(daemon, client, at));

  const reports: UpgradeLoadReport['reports'][number][] = [];
  const keepers = new Set([(await client.status()).keeper.pid]);
  for (let at = 0; at < load.upgrades; at++) {
    const { upgraded, sessions, requests } = await daemon.json<never>('daemon', 'upgrade');
    reports.push({ upgraded, sessions, requests });
    keepers.add((await client.status()).keeper.pid);
  }

  writeFileSync(go, '');
  writeFileSync(stop, '');
  const all = new Map((await client.list()).map((session) => [session.id, session]));
  const changed = [...pids]
    .filter(([id, pid]) => all.get(id)?.pid !== pid || all.get(id)?.state !== 'running')
    .map(([id]) => id);
  for (const { name, request } of agents) await daemon.json('approve', name, '--request', request);
  for (const { answers, name } of agents) await until(`${name} is answered`, () => answers().length > 0, SEE_MS);
  const exitCodes = (await Promise.all(tasks)).map(({ exitCode }) => exitCode);
  const faults = await Promise.all(watching);
  return {
    reports,
    keepers: keepers.size,
    changed,
    faults,
    exitCodes,
    answers: agents.map(({ answers }) => answers()),
  };
}

/** Follows a session that counts, and returns the first number that is not the next one. */
async function firstFault(client: Client, id: string): Promise<number | null> {
  let text = '';
  for await (const item of client.watch(id, { from: 0 }))
    if (item.type === 'output') text += Buffer.from(item.bytes).toString();
  const numbers = [...text.matchAll(/n (\d+)\./g)].map(([, number]) => Number(number));
  const at = numbers.findIndex((number, index) => number !== index + 1);
  if (at !== -1) return numbers[at]!;
  return text.endsWith('end\r\n') ? null : numbers.length + 1;
}
