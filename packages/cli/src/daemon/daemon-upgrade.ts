/**
 * `spool daemon upgrade`: a restart with the installation of this program, and the proof before and after it. Before, the new program reads the
 * record of every running session, and nothing is touched if it cannot. After, every session must be there. Keeps LIFE-43.
 */
import { AgentHandle, type Client, homeFrom, VERSION } from '@spool/client/node';
import { type SessionInfo, SpoolError } from '@spool/protocol';
import { openClient, type ProgramLocation } from '../program.ts';
import { checkedConfig } from '../rule-cases/checked-config.ts';
import { restart } from './daemon-restart.ts';

export interface UpgradeReport {
  /** False if no daemon was running. */
  readonly upgraded: boolean;
  /** The versions before and after. */
  readonly from: string | null;
  readonly to: string;
  /** The number of running sessions, and of requests of agents that wait for an answer. */
  readonly sessions: number;
  readonly requests: number;
}

/** Returns null if the caller has to stop and start the daemon instead: no session would be lost. */
export async function upgrade(program: ProgramLocation, force: boolean): Promise<UpgradeReport | null> {
  const before = await present(program);
  if (before === null) return { upgraded: false, from: null, to: VERSION, sessions: 0, requests: 0 };
  await checkRecords(program, before.running);
  if (!(await restart(program, force))) return null;
  const after = await present(program);
  const known = new Map(after?.all.map((session) => [session.id, session.state]));
  const missing = before.running.filter(({ id }) => [undefined, 'lost'].includes(known.get(id)));
  if (after === null || missing.length > 0)
    throw new Error(`the new daemon does not have ${named(missing)}; run spool doctor, and see the log of the daemon`);
  return {
    upgraded: true,
    from: before.version,
    to: after.version,
    sessions: after.running.length,
    requests: after.requests,
  };
}

interface DaemonContent {
  readonly version: string;
  readonly all: readonly SessionInfo[];
  readonly running: readonly SessionInfo[];
  readonly requests: number;
}

async function present(program: ProgramLocation): Promise<DaemonContent | null> {
  try {
    await using client = await openClient(program, { start: false });
    const [{ version }, all] = await Promise.all([client.status(), client.list()]);
    const running = all.filter(({ state }) => state === 'running');
    return { version, all, running, requests: await countRequests(client, running) };
  } catch (error) {
    if (SpoolError.is(error, 'DAEMON_UNREACHABLE')) return null;
    throw error;
  }
}

async function countRequests(client: Client, running: readonly SessionInfo[]): Promise<number> {
  let count = 0;
  for (const session of running.filter(({ driver }) => driver !== undefined))
    count += (await new AgentHandle(client, session).requests()).length;
  return count;
}

/** Throws if this version cannot read the record of a running session, as after a downgrade by several versions. */
async function checkRecords(program: ProgramLocation, running: readonly SessionInfo[]): Promise<void> {
  const home = homeFrom(process.env, process.getuid?.() ?? 0);
  const { withoutRecord } = await checkedConfig(program, home);
  const unreadable = running.filter(({ id }) => withoutRecord.includes(`${home.sessions}/${id}`));
  if (unreadable.length === 0) return;
  const reason = `version ${VERSION} cannot read the record of ${named(unreadable)}, so the daemon was left as it is`;
  throw new SpoolError('SUCCESSOR_REFUSED', { reason });
}

function named(sessions: readonly SessionInfo[]): string {
  return sessions.map(({ name, id }) => `${name} (${id})`).join(', ');
}
