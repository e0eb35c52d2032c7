/**
 * Decides which processes belong to a session. All code that sends signals relies on it. It is pure, so that tests can use
 * process tables that no kernel would produce in time. Keeps RUN-7.
 *
 * A process belongs to a session if it
 *   - is the session's child itself: pid, start time, boot and namespace match the record, or
 *   - is in the terminal session that the child leads, as long as a proven process still keeps that number from reuse,
 *     or
 *   - has the session's cookie in its environment (even if double-forked, or in its own session), or
 *   - is in the session's control group, where there is one, or
 *   - descends from such a process, or
 *   - was found to belong to the session before (its parent may have died since).
 * Pid 1 and the daemon itself never belong to a session. A daemon that was started inside a session is independent, and so are
 * its sessions: they have another cookie, and the cookie decides.
 *
 * A process that serves others does not belong to a session either, whatever its cookie is (decision 160). Keeps RUN-26. Such a
 * process is outside of the child's terminal session, and
 *   - is a shared service of an agent (`shared-services.ts`), or
 *   - has a descendant with the cookie of another session.
 * The same applies to all its descendants, and to the processes in the terminal session of such a descendant: a command that the
 * service runs for another session cannot be distinguished from one that it runs for this one.
 */
import { isOfThisPlace, type KernelProcessIdentity, type ProcessStat } from '@spool/native/process-identity';

/** The variable that marks a session's processes. Its value is the session's id, which no two sessions share. */
export const COOKIE = 'SPOOL_SESSION';

/** The variable that marks a daemon's own processes. No session's process has it. */
export const DAEMON_MARK = 'SPOOL_DAEMON';

/** A process, identified even if its pid is reused. */
export interface Member {
  readonly pid: number;
  /** The start in clock ticks since boot: with the pid, unique. */
  readonly startTicks: string;
}

/** A process, with the owner that its environment names. */
export interface ProcessRow extends ProcessStat {
  readonly cookie: string | null;
  readonly isDaemon: boolean;
}

export interface OwnerQuery {
  /** The session's child; null if its identity is not known. */
  readonly leader: KernelProcessIdentity | null;
  readonly controlGroup: string | null;
  /** Folders that only this session uses: a service that listens in one of them serves no other session. */
  readonly folders?: readonly string[] | undefined;
  /** Whether shared services that were started in the session belong to it too. */
  readonly withServices?: boolean | undefined;
}

export interface OwnersOptions {
  readonly table: ReadonlyMap<number, ProcessRow>;
  readonly sessions: ReadonlyMap<string, OwnerQuery>;
  /** The processes that were found before, by session. */
  readonly seen: ReadonlyMap<string, readonly Member[]>;
  /** The control group of each process, by pid. */
  readonly groups: ReadonlyMap<number, string>;
  /** Pids of the daemon. */
  readonly never: ReadonlySet<number>;
  /** Pids of recognised shared services. */
  readonly services?: ReadonlySet<number> | undefined;
}

/** The owner of a process that certainly belongs to none of these sessions. It ends the search among ancestors. */
const NOBODY = null;

/** Returns the living processes of each session, by its id. */
export function membersOf(options: OwnersOptions): Map<string, ProcessRow[]> {
  const { table, sessions } = options;
  const owners = provenOwners(options);
  for (const pid of sharedProcesses(options)) {
    const id = owners.get(pid) ?? ownerOf(table.get(pid)!, table, new Map(owners));
    if (id === null || sessions.get(id)?.withServices !== true) owners.set(pid, NOBODY);
  }
  const found = new Map<string, ProcessRow[]>([...sessions.keys()].map((id) => [id, []]));
  for (const row of table.values()) {
    const id = ownerOf(row, table, owners);
    if (typeof id === 'string' && !row.isZombie) found.get(id)!.push(row);
  }
  return found;
}

/**
 * Returns the processes that serve others, and all their descendants. A session's child, and processes that share its terminal
 * session, never serve others.
 */
export function sharedProcesses({ table, sessions, services = new Set() }: OwnersOptions): Set<number> {
  const own = new Set([...sessions.values()].flatMap(({ leader }) => (isOfThisPlace(leader) ? [leader.pid] : [])));
  const canServe = (row: ProcessRow): boolean => !own.has(row.pid) && !own.has(row.terminalSession);
  const roots = new Set([...services].filter((pid) => table.has(pid) && canServe(table.get(pid)!)));
  for (const row of table.values()) {
    if (row.isZombie || row.isDaemon || ownerByEnvironment(row, sessions) !== NOBODY) continue;
    for (const ancestor of ancestorsOf(row, table)) {
      if (ancestor.isDaemon) break;
      const isOfSession = ancestor.cookie !== null && sessions.has(ancestor.cookie);
      if (isOfSession && canServe(ancestor)) roots.add(ancestor.pid);
    }
  }
  if (roots.size === 0) return roots;
  const isBelow = (row: ProcessRow): boolean => {
    if (roots.has(row.pid)) return true;
    for (const { pid } of ancestorsOf(row, table)) if (roots.has(pid)) return true;
    return false;
  };
  const shared = new Set<number>();
  for (const row of table.values()) if (canServe(row) && isBelow(row)) shared.add(row.pid);
  // An orphan of such a process is still in its terminal session.
  for (const row of table.values()) if (shared.has(row.terminalSession) && canServe(row)) shared.add(row.pid);
  return shared;
}

function* ancestorsOf(row: ProcessRow, table: ReadonlyMap<number, ProcessRow>): Generator<ProcessRow> {
  let at = row;
  for (let steps = 0; steps < table.size; steps++) {
    const parent = table.get(at.parent);
    // A process younger than its child is not its parent: it got the pid while the table was read.
    if (!parent || parent.pid <= 1 || BigInt(parent.startTicks) > BigInt(at.startTicks)) return;
    yield parent;
    at = parent;
  }
}

/** Returns the processes that prove by themselves which session they belong to, or that they belong to none. */
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

/** Returns undefined if the environment names no owner. */
function ownerByEnvironment(
  { isDaemon, cookie }: ProcessRow,
  sessions: ReadonlyMap<string, OwnerQuery>,
): string | null | undefined {
  if (isDaemon) return NOBODY;
  if (cookie === null) return undefined;
  return sessions.has(cookie) ? cookie : NOBODY;
}

/**
 * Returns the owner of a process, or of its nearest ancestor with one; results are cached, so that each process is examined once.
 */
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
