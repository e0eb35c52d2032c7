/**
 * `spool daemon upgrade`: a restart with the installation of this program, with checks before and after it. Before it, the new
 * program reads the record of every running session; if it cannot, nothing is changed. After it, every session must be there, and
 * its driver, a screen and the gateway must work; otherwise the program before is used again. Keeps LIFE-43 and LIFE-45.
 */
import { AgentHandle, type Client, homeFrom, VERSION } from '@spool/client/node';
import { type SessionInfo, SpoolError } from '@spool/protocol';
import { openClient, type ProgramLocation } from '../program.ts';
import { checkedConfig } from '../rule-cases/checked-config.ts';
import { restart } from './daemon-restart.ts';

/** The time limit for the new daemon to have everything that the old one had: drivers and the gateway start again. */
const PROOF_MS_MAX = 20_000;
/** The time limit of one round of checks, and of each part; after that, the daemon is asked again. */
const ANSWER_MS_MAX = 10_000;
const PART_MS_MAX = 4000;
const POLL_MS = 50;

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
  let after = before;
  const prove = async (isHolderNew: boolean): Promise<void> => {
    after = await proven(program, before, isHolderNew);
  };
  if (!(await restart(program, force, prove))) return null;
  return {
    upgraded: true,
    from: before.version,
    to: after.version,
    sessions: after.running.length,
    requests: after.requests,
  };
}

/** Returns the content of the daemon once it is complete. Rejects with the missing part, if it stays incomplete. */
async function proven(program: ProgramLocation, before: DaemonContent, isHolderNew: boolean): Promise<DaemonContent> {
  const until = performance.now() + PROOF_MS_MAX;
  let lack = 'no daemon answers';
  for (;;) {
    try {
      const answer = examined(program, before, isHolderNew);
      return await within(ANSWER_MS_MAX, answer, 'the new daemon does not answer');
    } catch (error) {
      lack = (error as Error).message;
    }
    if (performance.now() > until) throw new Error(lack);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Rejects with the parts that the daemon had before and does not have now. */
async function examined(program: ProgramLocation, before: DaemonContent, isHolderNew: boolean): Promise<DaemonContent> {
  await using client = await openClient(program, { start: false });
  const now = await listed(client);
  const lack = missingPart(before, now, isHolderNew) ?? (await screenProblem(client, now.running));
  if (lack !== null) throw new Error(lack);
  const counted = countRequests(client, now.running);
  const driven = now.running.filter(({ driver }) => driver !== undefined);
  return { ...now, requests: await within(PART_MS_MAX, counted, `the new driver of ${named(driven)} reports nothing`) };
}

function missingPart(before: DaemonContent, now: ListedContent, isHolderNew: boolean): string | null {
  const known = new Map(now.all.map((session) => [session.id, session]));
  const missing = before.running.filter(({ id }) => [undefined, 'lost'].includes(known.get(id)?.state));
  if (missing.length > 0) return `the new daemon does not have ${named(missing)}`;
  const driven = before.running.filter(({ driver }) => driver?.state === 'running').map(({ id }) => id);
  const undriven = now.running.filter(({ id, driver }) => driver?.state === 'failed' && driven.includes(id));
  if (undriven.length > 0) return `the new driver fails with ${named(undriven)}`;
  // The gateway ends with its holder.
  const lacksGateway = now.gateway === null || (isHolderNew && now.gateway === before.gateway);
  return before.gateway !== null && lacksGateway ? 'the new gateway does not serve' : null;
}

/** Requests one screen: the thread for screens works for all sessions or for none. */
async function screenProblem(client: Client, running: readonly SessionInfo[]): Promise<string | null> {
  const shown = running.find(({ size }) => size !== null);
  if (shown === undefined) return null;
  try {
    await within(PART_MS_MAX, client.screen(shown.id), 'the thread for screens does not answer');
    return null;
  } catch (error) {
    if (SpoolError.is(error, 'SESSION_UNKNOWN')) return null;
    return `the new daemon shows no screens: ${(error as Error).message}`;
  }
}

/** Rejects with this reason if there is no answer in time. */
async function within<T>(ms: number, answer: Promise<T>, reason: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(reason)), ms);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
    answer.catch(() => {}); // the answer came too late
  }
}

interface ListedContent {
  readonly version: string;
  readonly all: readonly SessionInfo[];
  readonly running: readonly SessionInfo[];
  /** Returns the process of the gateway that serves; null if there is none. */
  readonly gateway: number | null;
}

interface DaemonContent extends ListedContent {
  readonly requests: number;
}

async function present(program: ProgramLocation): Promise<DaemonContent | null> {
  try {
    await using client = await openClient(program, { start: false });
    const now = await listed(client);
    return { ...now, requests: await countRequests(client, now.running) };
  } catch (error) {
    if (SpoolError.is(error, 'DAEMON_UNREACHABLE')) return null;
    throw error;
  }
}

async function listed(client: Client): Promise<ListedContent> {
  const [{ version, gateway }, all] = await Promise.all([client.status(), client.list()]);
  return { version, all, running: all.filter(({ state }) => state === 'running'), gateway: gateway?.pid ?? null };
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
