/** Runs a daemon with few open files, many idle connections, and clients that still try to start sessions. */
import { execFileSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { encodeJson, type ErrorCode, FrameType, PROTOCOL_VERSION, SpoolError, VERSION } from '@spool/protocol';
import { seen, TestDaemon, until } from '@spool/testkit';

export interface FewFiles {
  readonly limit: number;
  readonly connections: number;
  readonly tries: number;
}

export interface FewFilesReport {
  readonly replaced: readonly string[];
  /** The answers to connections that came too late, by code. */
  readonly refusedConnections: Partial<Record<ErrorCode | 'without a word', number>>;
  readonly started: number;
  readonly refusedRuns: Partial<Record<ErrorCode, number>>;
  /** Sessions that were started and no longer answer. */
  readonly lost: readonly string[];
  /** Whether a run succeeds again after the idle connections are closed. */
  readonly heals: boolean;
}

const command = ['cat'];
const size = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };

export default async function fewFiles({ limit, connections, tries }: FewFiles): Promise<FewFilesReport> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const before = await client.status();
  for (const { pid } of [before.keeper, before.holder])
    execFileSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:${limit}`]);

  const idle: Socket[] = [];
  const refusedConnections: FewFilesReport['refusedConnections'] = {};
  let closed = 0;
  for (let count = 0; count < connections; count++) {
    const socket = connect(before.socket);
    idle.push(socket);
    let said = '';
    socket.write(encodeJson(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: VERSION }));
    socket.on('data', (bytes) => (said += bytes.toString('latin1')));
    socket.on('error', () => {}); // reported by 'close'
    socket.on('close', () => {
      closed++;
      const code = (/"code":"(\w+)"/.exec(said)?.[1] ?? 'without a word') as ErrorCode;
      refusedConnections[code] = (refusedConnections[code] ?? 0) + 1;
    });
    if (count % 50 === 49) await client.get('nobody').catch(() => {}); // the daemon has handled these
  }
  await until('those who came too late are told', () => closed > 0);

  const started: string[] = [];
  const refusedRuns: FewFilesReport['refusedRuns'] = {};
  for (let count = 0; count < tries; count++) {
    try {
      started.push((await client.run({ command, size, env })).id);
    } catch (error) {
      if (!SpoolError.is(error)) throw error;
      refusedRuns[error.code] = (refusedRuns[error.code] ?? 0) + 1;
    }
  }
  const lost: string[] = [];
  for (const id of started) {
    await client.write(id, 'still here\r');
    await seen(client, id, 'still here\r\n', 60_000).catch(() => lost.push(id));
  }
  const after = await client.status();
  const refused = { ...refusedConnections };
  for (const socket of idle) socket.destroy();
  let heals = false;
  for (const id of started.splice(0, started.length / 2)) await client.kill(id);
  await until('there is room again', async () => {
    heals = await client.run({ command, size, env }).then(
      () => true,
      () => false,
    );
    return heals;
  });
  const replaced = (['keeper', 'holder'] as const).filter((name) => after[name].pid !== before[name].pid);
  return { replaced, refusedConnections: refused, started: tries - total(refusedRuns), refusedRuns, lost, heals };
}

function total(counts: Partial<Record<string, number>>): number {
  return Object.values(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0);
}
