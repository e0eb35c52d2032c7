/**
 * Decides which processes belong to a session. Everything that sends signals relies on it. It is pure, so that tests
 * can use process tables that no kernel would produce in time. Keeps RUN-7.
 *
 * A process belongs to a session if it
 *   - is the session's child itself: pid, start time, boot and namespace match the record, or
 *   - is in the terminal session that the child leads, as long as a proven process still keeps that number from reuse,
 *     or
 *   - has the session's cookie in its environment (even if double-forked, or in its own session), or
 *   - is in the session's control group, where there is one, or
 *   - descends from such a process, or
 *   - was found to belong to the session before (its parent may have died since).
 * Pid 1 and the daemon itself never belong to one. A daemon that was started inside a session is independent, and so
 * are its sessions: they have another cookie, and the cookie decides.
 */
import { isOfThisPlace, type ProcessIdentity, type ProcessStat } from '@spool/native/process-identity';

/** The variable that marks a session's processes. Its value is the session's id, which no two sessions share. */
export const COOKIE = 'SPOOL_SESSION';

/** The variable that marks a daemon's own processes. No session's process has it. */
export const DAEMON_MARK = 'SPOOL_DAEMON';

/** A process, identified despite reuse of its pid. */
export interface Member {
  readonly pid: number;
  /** Clock ticks since boot: with the pid, unique. */
  readonly startTicks: string;
}

/** A process, and what its environment says about its owner. */
export interface ProcessRow extends ProcessStat {
  readonly cookie: string | null;
  readonly isDaemon: boolean;
}

export interface Wanted {
  /** The session's child; null when its identity is not known. */
  readonly leader: ProcessIdentity | null;
  readonly controlGroup: string | null;
}

export interface OwnersOptions {
  readonly table: ReadonlyMap<number, ProcessRow>;
  readonly sessions: ReadonlyMap<string, Wanted>;
  /** What was found before, by session. */
  readonly seen: ReadonlyMap<string, readonly Member[]>;
  /** The control group of each process, by pid. */
  readonly groups: ReadonlyMap<number, string>;
  /** Pids of the daemon. */
  readonly never: ReadonlySet<number>;
}

/** Certain not to belong to any of these sessions. Ends the search among ancestors. */
const NOBODY = null;

/** The living processes of each session, by its id. */
export function membersOf(options: OwnersOptions): Map<string, ProcessRow[]> {
  const { table, sessions } = options;
  const owners = provenOwners(options);
  const found = new Map<string, ProcessRow[]>([...sessions.keys()].map((id) => [id, []]));
  for (const row of table.values()) {
    const id = ownerOf(row, table, owners);
    if (typeof id === 'string' && !row.isZombie) found.get(id)!.push(row);
  }
  return found;
}

/** Processes that prove by themselves which session they belong to, or that they belong to none. */
function provenOwners({ table, sessions, seen, groups, never }: OwnersOptions): Map<number, string | null> {
  const owners = new Map<number, string | null>([0, 1, ...never].map((pid) => [pid, NOBODY]));
  const terminalSessions = new Map<number, string>();
  for (const [id, { leader }] of sessions) {
    if (!isOfThisPlace(leader)) continue;
    for (const member of [leader, ...(seen.get(id) ?? [])]) {
      const row = table.get(member.pid);
      if (row?.startTicks !== member.startTicks || owners.get(row.pid) === NOBODY) continue;
      // The number of a terminal session is not reused while a process is in it.
      if (row.terminalSession === leader.pid) terminalSessions.set(leader.pid, id);
      owners.set(row.pid, id);
    }
  }
  for (const [id, members] of seen) {
    for (const { pid, startTicks } of members)
      if (table.get(pid)?.startTicks === startTicks && !owners.has(pid) && sessions.has(id)) owners.set(pid, id);
  }
  for (const row of table.values()) {
    if (owners.has(row.pid)) continue;
    const owner = terminalSessions.get(row.terminalSession) ?? ownerByEnvironment(row, sessions);
    if (owner !== undefined) owners.set(row.pid, owner);
    else if (groups.has(row.pid)) owners.set(row.pid, groups.get(row.pid)!);
  }
  return owners;
}

/** Undefined when the environment says nothing. */
function ownerByEnvironment(
  { isDaemon, cookie }: ProcessRow,
  sessions: ReadonlyMap<string, Wanted>,
): string | null | undefined {
  if (isDaemon) return NOBODY;
  if (cookie === null) return undefined;
  return sessions.has(cookie) ? cookie : NOBODY;
}

/** Its own owner, or that of its nearest ancestor with one; cached on the way, so that each process is examined once. */
function ownerOf(
  row: ProcessRow,
  table: ReadonlyMap<number, ProcessRow>,
  owners: Map<number, string | null>,
): string | null {
  const path: number[] = [];
  let at: ProcessRow | undefined = row;
  while (at && !owners.has(at.pid)) {
    path.push(at.pid);
    owners.set(at.pid, NOBODY); // a table that changes while it is read may contain a cycle
    const parent: ProcessRow | undefined = table.get(at.parent);
    // A process younger than its child is not its parent: it got the pid while the table was read.
    at = parent && BigInt(parent.startTicks) <= BigInt(at.startTicks) ? parent : undefined;
  }
  const owner = (at && owners.get(at.pid)) ?? NOBODY;
  for (const pid of path) owners.set(pid, owner);
  return owner;
}
