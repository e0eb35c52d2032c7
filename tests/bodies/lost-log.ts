/** Shortens or deletes the log files of a live session, and then kills its keeper; returns the log of the next keeper. */
import { readdirSync, rmSync, truncateSync } from 'node:fs';
import { seen, TestDaemon, until } from '@spool/testkit';

export interface LostLog {
  readonly damage: 'truncated' | 'deleted' | 'all truncated' | 'folder deleted';
  readonly killed: 'keeper' | 'both' | 'nobody';
}

export interface LostLogReport {
  /** The offsets before and after the damage: used offsets stay used. */
  readonly before: number;
  readonly after: number;
  /** The whole log, as text. */
  readonly story: string;
  readonly screen: { readonly code: number | null; readonly stdout: string; readonly stderr: string };
  readonly blank: { readonly code: number | null; readonly stdout: string; readonly stderr: string };
}

/** Longer than the pause after which the keeper reports the end of a log to the holder. */
const NOTED_MS = 5000;

export default async function loseLog({ damage, killed }: LostLog): Promise<LostLogReport> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const command = ['sh', '-c', 'stty -echo; echo first; read go; echo second; exec sleep 1000'];
  const session = await client.run({ command, size: { cols: 80, rows: 24 }, env: { PATH: process.env['PATH']! } });
  await seen(client, session.id, 'first');
  const before = (await client.screen(session.id, { format: 'text' })).offset;
  const isAll = damage === 'all truncated' || damage === 'folder deleted';
  if (isAll) await new Promise((resolve) => setTimeout(resolve, NOTED_MS));
  hurt(`${daemon.home}/sessions/${session.id}/log`, damage);
  const { keeper, holder } = await client.status();
  if (killed === 'both') process.kill(holder.pid, 'SIGSTOP');
  if (killed !== 'nobody') process.kill(keeper.pid, 'SIGKILL');
  if (killed === 'both') process.kill(holder.pid, 'SIGKILL');
  const next = await daemon.client();
  if (killed !== 'nobody')
    await until('another keeper serves', async () => (await next.status()).keeper.pid !== keeper.pid, 60_000);
  const after = (await next.get(session.id)).offset;
  const blank = await daemon.spool(['screen', session.id]);
  await next.write(session.id, 'go\r');
  await seen(next, session.id, 'second');
  let story = '';
  for await (const item of session.watch({ from: 0 })) {
    if (item.type === 'gap') story += `<${item.reason} ${item.from}-${item.to}>`;
    if (item.type === 'output') story += Buffer.from(item.bytes).toString();
    if (story.includes('second\r\n')) break;
  }
  const { code, stdout, stderr } = await daemon.spool(['screen', session.id]);
  return { before, after, story, screen: { code, stdout, stderr }, blank };
}

function hurt(folder: string, damage: LostLog['damage']): void {
  if (damage === 'folder deleted') return rmSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (damage !== 'all truncated' && !name.endsWith('.log')) continue;
    if (damage === 'deleted') rmSync(`${folder}/${name}`);
    else truncateSync(`${folder}/${name}`, 0);
  }
}
