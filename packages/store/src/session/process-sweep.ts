/**
 * Reads the process table and finds the processes of some sessions, however far they have detached (`process-owners.ts` decides).
 * It makes one pass for any number of sessions, in slices: with 1,500 processes it takes tens of milliseconds, and no other
 * request may wait for that. Keeps RUN-9.
 *
 * Measured on a hostile tree of 8 processes: a hang-up left 5 of them, killing the group left 4, and this code left none.
 */
import { readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { constants } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { native } from '@spool/native';
import { readProc, readStat } from '@spool/native/process-identity';
import type { LeftProcess } from '@spool/protocol';
import {
  COOKIE,
  DAEMON_MARK,
  type Member,
  membersOf,
  type OwnersOptions,
  type ProcessRow,
  type OwnerQuery,
} from './process-owners.ts';
import { readServiceName } from './shared-services.ts';

/** The longest time of work without a break. */
const SLICE_MS = 2;

/**
 * The age after which an environment is cached: a process may execute another program, with another environment; most do so soon
 * after their start.
 */
const SETTLED_MS = 2000;

const TICKS_PER_SECOND = 100;

type ProcessOrigin = Pick<ProcessRow, 'cookie' | 'isDaemon'>;

/** The processes by session: those that belong to it, and those that were started in it and serve others. */
export interface SessionProcesses {
  readonly members: Map<string, ProcessRow[]>;
  readonly left: Map<string, LeftProcess[]>;
}

/** Scans the table. One instance is used for all scans: it caches constant facts, which saves half of the work. */
export class ProcessSweep {
  readonly #environments = new Map<string, ProcessOrigin>();
  /** Pids of the daemon's own processes. */
  readonly #ours: () => readonly number[];

  constructor(ours: () => readonly number[] = () => []) {
    this.#ours = ours;
  }

  /** Returns the living processes of each session, given those that were found before. */
  async find(
    sessions: ReadonlyMap<string, OwnerQuery>,
    seen: ReadonlyMap<string, readonly Member[]> = new Map(),
  ): Promise<Map<string, ProcessRow[]>> {
    return (await this.findAll(sessions, seen)).members;
  }

  /** Returns the same, and the processes that were started in the sessions but serve others. */
  async findAll(
    sessions: ReadonlyMap<string, OwnerQuery>,
    seen: ReadonlyMap<string, readonly Member[]> = new Map(),
  ): Promise<SessionProcesses> {
    const table = await this.#readTable();
    const groups = new Map<number, string>();
    for (const [id, { controlGroup }] of sessions) for (const pid of pidsIn(controlGroup)) groups.set(pid, id);
    // The child's facts are read again after all others: a process that is still there now was there all the time, so its pid and
    // its terminal session were not reused.
    for (const [id, { leader }] of sessions)
      for (const { pid } of [...(leader ? [leader] : []), ...(seen.get(id) ?? [])]) this.#refresh(table, pid);
    const options = { table, sessions, seen, groups, never: new Set([process.pid, ...this.#ours()]) };
    return apartFromServices(options);
  }

  async #readTable(): Promise<Map<number, ProcessRow>> {
    const table = new Map<number, ProcessRow>();
    const names = readdirSync('/proc');
    const seen = new Set<string>();
    const now = bootMs();
    await inSlices(names, (name) => {
      const pid = Number(name);
      const stat = Number.isInteger(pid) ? readStat(pid) : undefined;
      if (!stat) return;
      const key = `${pid}/${stat.startTicks}/${stat.name}`;
      const isSettled = now - (Number(stat.startTicks) * 1000) / TICKS_PER_SECOND > SETTLED_MS;
      const environment = (isSettled && this.#environments.get(key)) || environmentOf(pid);
      if (isSettled) this.#environments.set(key, environment);
      seen.add(key);
      table.set(pid, { ...stat, ...environment });
    });
    for (const key of this.#environments.keys()) if (!seen.has(key)) this.#environments.delete(key);
    return table;
  }

  #refresh(table: Map<number, ProcessRow>, pid: number): void {
    const before = table.get(pid);
    const stat = readStat(pid);
    if (!stat) table.delete(pid);
    else
      table.set(pid, { ...stat, ...(before?.startTicks === stat.startTicks ? before : environmentOf(pid)), ...stat });
  }
}

/**
 * Separates services. It examines only processes that would belong to a session, and only those that lead a terminal session,
 * which are few. A service that ends with its session is not listed.
 */
function apartFromServices(options: OwnersOptions): SessionProcesses {
  const { sessions } = options;
  // Selects by cookie, descent or group alone: includes processes that would be spared because they serve another session.
  const all = new Map([...sessions].map(([id, wanted]) => [id, { ...wanted, withServices: true }]));
  const started = membersOf({ ...options, sessions: all });
  const names = new Map<number, string>();
  for (const [id, rows] of started)
    for (const { pid, terminalSession } of rows) {
      const name = pid === terminalSession ? readServiceName(pid, sessions.get(id)!.folders ?? []) : null;
      if (name !== null) names.set(pid, name);
    }
  const members = membersOf({ ...options, services: new Set(names.keys()) });
  const left = new Map<string, LeftProcess[]>();
  for (const [id, rows] of started) {
    const ours = new Set(members.get(id)!.map(({ pid }) => pid));
    const spared = rows.filter(({ pid }) => !ours.has(pid));
    const pids = new Set(spared.map(({ pid }) => pid));
    // A descendant of one of them is part of it.
    const roots = spared.filter((row) => names.has(row.pid) || !pids.has(row.parent));
    left.set(
      id,
      roots.map(({ pid, name }) => ({ pid, program: name, service: names.get(pid) ?? null })),
    );
  }
  return { members, left };
}

/** Returns the members that still run. This is far cheaper than a full scan. */
export async function stillThere<Each extends Member>(members: readonly Each[]): Promise<Each[]> {
  const there: Each[] = [];
  await inSlices(members, (member) => {
    const stat = readStat(member.pid);
    if (stat?.startTicks === member.startTicks && !stat.isZombie) there.push(member);
  });
  return there;
}

/** `refused`: the process now belongs to another user. `failed`: no signal was sent; retry. */
export type SignalResult = 'sent' | 'gone' | 'refused' | 'failed';

/** Signals a process, never another one that got its pid since. */
export function signalMember({ pid, startTicks }: Member, signals: readonly NodeJS.Signals[]): SignalResult {
  if (pid <= 1 || pid === process.pid) return 'gone';
  let pidfd: number | undefined;
  try {
    pidfd = native.pidfdOpen(pid);
    if (readStat(pid)?.startTicks !== startTicks) return 'gone';
    const results = signals.map((signal) => native.pidfdSignal(pidfd!, constants.signals[signal]));
    return results[0] === -constants.errno.EPERM ? 'refused' : 'sent';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'gone' : 'failed'; // EMFILE, ENOMEM
  } finally {
    if (pidfd !== undefined) native.close(pidfd);
  }
}

/** The reaction of a process to SIGTERM; one that blocks it intends to fetch it (sigwait, signalfd). */
export type ToTerm = 'dies' | 'handles' | 'ignores';

export function whatTermDoes(pid: number): ToTerm {
  const status = readProc(`/proc/${pid}/status`) ?? '';
  if (hasSignal(status, 'SigIgn', 'SIGTERM')) return 'ignores';
  return hasSignal(status, 'SigCgt', 'SIGTERM') || hasSignal(status, 'SigBlk', 'SIGTERM') ? 'handles' : 'dies';
}

/** Returns whether a process ignores SIGHUP, as after `nohup`. */
export function ignoresHangup(pid: number): boolean {
  return hasSignal(readProc(`/proc/${pid}/status`) ?? '', 'SigIgn', 'SIGHUP');
}

function hasSignal(status: string, field: string, signal: NodeJS.Signals): boolean {
  const mask = new RegExp(`^${field}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1];
  return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
}

/** Removes an empty control group. A group that is not empty stays until its processes are gone. */
export function removeControlGroup(controlGroup: string): void {
  try {
    rmdirSync(controlGroup);
  } catch {
    // EBUSY: a process still runs there; ENOENT: the group is gone already
  }
}

export async function inSlices<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
  let until = performance.now() + SLICE_MS;
  for (const item of items) {
    if (performance.now() > until) {
      await setImmediate();
      until = performance.now() + SLICE_MS;
    }
    work(item);
  }
}

function pidsIn(controlGroup: string | null): number[] {
  if (controlGroup === null) return [];
  try {
    return readFileSync(`${controlGroup}/cgroup.procs`, 'latin1').split('\n').filter(Boolean).map(Number);
  } catch {
    return []; // ENOENT: it was empty, and has been removed
  }
}

function bootMs(): number {
  return Number(readProc('/proc/uptime')?.split(' ')[0] ?? 0) * 1000;
}

function environmentOf(pid: number): ProcessOrigin {
  const environ = `\0${readProc(`/proc/${pid}/environ`) ?? ''}`;
  const valueOf = (name: string): string | null => {
    const start = environ.indexOf(`\0${name}=`);
    if (start === -1) return null;
    const from = start + name.length + 2;
    const end = environ.indexOf('\0', from);
    return environ.slice(from, end === -1 ? undefined : end);
  };
  return { cookie: valueOf(COOKIE), isDaemon: valueOf(DAEMON_MARK) !== null };
}
