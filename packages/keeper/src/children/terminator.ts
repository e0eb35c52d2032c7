/**
 * Ends sessions with their whole process trees: SIGTERM, then SIGKILL, repeated until no process is left. All sessions that are
 * ending share one scan of the process table; no timer runs when none is ending. Keeps RUN-5, RUN-7, RUN-41 and RUN-9. Keeps
 * TASK-4: a timeout ends the whole tree too. Keeps RUN-26: processes that serve other sessions are left running, and reported.
 */
import {
  type EndingProcess,
  dueStep,
  ignoresHangup,
  inSlices,
  type Member,
  nextStepInMs,
  type ProcessRow,
  ProcessSweep,
  removeControlGroup,
  type Schedule,
  signalMember,
  STEP_SIGNALS,
  stillThere,
  type TerminationStep,
  type ToTerm,
  type OwnerQuery,
  whatTermDoes,
} from '@spool/store';
import { native } from '@spool/native';
import { constants } from 'node:os';
import type { EndedBy, LeftProcess } from '@spool/protocol';
import type { KeeperSession } from '../sessions/session.ts';

/** The interval of checks of the known processes while a session is ending. */
const LOOK_EVERY_MS = 100;
const LOOK_SOON_MS = 10;

/** The interval of searches for new processes while processes handle SIGTERM. */
const SWEEP_EVERY_MS = 1000;

/** The maximum share of time for scans, however many processes there are. */
const LOOKING_SHARE_MAX = 0.2;

/** The time after which a process that survives SIGKILL counts as stuck in the kernel, and is given up. */
const GIVE_UP_MS = 10_000;

/** A process of an ending session, and the signals that were sent to it. */
interface Target extends Member, EndingProcess {
  toTerm: ToTerm;
  /** Whether the process handles SIGTERM, and the end of the leader would interrupt that. */
  readonly fearsHangup: boolean;
  readonly done: Set<TerminationStep>;
}

interface Case extends Schedule {
  readonly session: KeeperSession;
  killAt: number;
  targets: readonly Target[];
  /** Whether an earlier keeper has sent SIGTERM to its processes. */
  readonly isResumed: boolean;
  isSwept: boolean;
  withServices: boolean;
  left: readonly LeftProcess[];
  readonly childDone: Set<TerminationStep>;
  readonly done: PromiseWithResolvers<void>;
}

export class Terminator {
  readonly #cases = new Map<string, Case>();
  readonly #sweep: ProcessSweep;
  #timer: NodeJS.Timeout | null = null;
  #sweptAt = -Infinity;
  #isLooking = false;
  #isAskedAgain = false;

  /** `ours`: the pids of the daemon, which belong to no session. */
  constructor(ours: () => readonly number[] = () => []) {
    this.#sweep = new ProcessSweep(ours);
  }

  /**
   * Resolves when the session has ended and none of its processes is left. `isResumed`: the last keeper had started to end it, so
   * its present processes have already been sent SIGTERM. `withServices`: processes that serve other sessions are ended too.
   */
  end(
    session: KeeperSession,
    by: EndedBy,
    graceMs: number,
    { isResumed = false, withServices = false } = {},
  ): Promise<void> {
    if (session.file.isCopy) return Promise.resolve();
    session.file.askEnd(by, graceMs);
    const askedAt = performance.now();
    const killAt = askedAt + graceMs;
    let open = this.#cases.get(session.id);
    if (open) {
      open.killAt = Math.min(open.killAt, killAt);
      open.withServices ||= withServices;
    } else {
      open = {
        session,
        askedAt,
        killAt,
        targets: [],
        isResumed,
        isSwept: false,
        withServices,
        left: [],
        childDone: new Set(isResumed ? ['ask'] : []),
        done: Promise.withResolvers(),
      };
      this.#cases.set(session.id, open);
      session.whenEnded(() => this.#lookIn(LOOK_SOON_MS));
    }
    this.#lookIn(0);
    return open.done.promise;
  }

  /** Resolves when this session is no longer being ended: at once, if it never was. */
  async settled(session: KeeperSession): Promise<void> {
    await this.#cases.get(session.id)?.done.promise;
  }

  /** Resolves when no session is being ended any more; those in progress get at most this grace period. */
  async finish(graceMs: number): Promise<void> {
    const killAt = performance.now() + graceMs;
    const open = [...this.#cases.values()];
    for (const each of open) each.killAt = Math.min(each.killAt, killAt);
    if (open.length > 0) this.#lookIn(0);
    await Promise.all(open.map(({ done }) => done.promise));
  }

  #lookIn(ms: number): void {
    if (this.#isLooking) {
      this.#isAskedAgain = true;
      return;
    }
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), ms);
  }

  async #look(): Promise<void> {
    this.#timer = null;
    this.#isLooking = true;
    this.#isAskedAgain = false;
    const startedAt = performance.now();
    try {
      await this.#lookAt([...this.#cases]);
    } catch (error) {
      if (!isShortage(error)) throw error;
      // The processes are unknown now, so none counts as gone. The children can still be signalled.
      for (const [id, open] of this.#cases)
        if (performance.now() > open.killAt + GIVE_UP_MS) this.#finish(id, open);
        else this.#signalChild(open);
    }
    this.#isLooking = false;
    const now = performance.now();
    let nextMs = Math.max(LOOK_EVERY_MS, (now - startedAt) / LOOKING_SHARE_MAX);
    for (const open of this.#cases.values()) nextMs = Math.min(nextMs, Math.max(1, nextStepInMs(open, now)));
    if (this.#cases.size > 0) this.#lookIn(this.#isAskedAgain ? LOOK_SOON_MS : nextMs);
  }

  async #lookAt(cases: readonly (readonly [string, Case])[]): Promise<void> {
    for (const [, open] of cases) open.targets = await stillThere(open.targets);
    if (cases.some(([, open]) => this.#mustSweep(open))) await this.#sweepFor(cases);
    for (const [id, open] of cases) {
      const isOver = open.isSwept && open.targets.length === 0 && !open.session.isRunning;
      if (isOver || performance.now() > open.killAt + GIVE_UP_MS) this.#finish(id, open);
      else await this.#signal(open);
    }
  }

  /**
   * Returns whether /proc must be scanned. A scan is expensive, so it is done first, before a session counts as ended, from SIGKILL
   * on, and otherwise at intervals.
   */
  #mustSweep({ isSwept, targets, session, killAt }: Case): boolean {
    const now = performance.now();
    if (!isSwept || now >= killAt || now - this.#sweptAt >= SWEEP_EVERY_MS) return true;
    return targets.length === 0 && !session.isRunning;
  }

  async #sweepFor(cases: readonly (readonly [string, Case])[]): Promise<void> {
    const wanted = new Map<string, OwnerQuery>();
    const seen = new Map<string, readonly Member[]>();
    for (const [id, { session, targets, withServices }] of cases) {
      const { folder, record } = session.file;
      const { process: leader = null, controlGroup } = record;
      wanted.set(id, { leader, controlGroup, withServices, folders: [folder] });
      seen.set(id, targets);
    }
    const { members, left } = await this.#sweep.findAll(wanted, seen);
    this.#sweptAt = performance.now();
    for (const [id, open] of cases) {
      open.left = left.get(id)!;
      const rows = new Map(members.get(id)!.map((row) => [row.pid, row]));
      const before = new Map(open.targets.map((target) => [keyOf(target), target]));
      const targets: Target[] = [];
      await inSlices(rows.values(), (row) => {
        const known = before.get(keyOf(row));
        const isSpared = open.isSwept ? isOfHandler(row, rows, before) : open.isResumed;
        targets.push(known ?? targetOf(row, open.session, isSpared));
      });
      open.targets = targets;
      open.isSwept = true;
    }
  }

  async #signal(open: Case): Promise<void> {
    const { session, targets } = open;
    const now = performance.now();
    const handling = targets.filter(({ toTerm }) => toTerm === 'handles');
    const fearing = handling.filter(({ fearsHangup }) => fearsHangup);
    await inSlices(targets, (target) => {
      const isHandling = target.toTerm === 'handles';
      const others = {
        handle: handling.length > Number(isHandling),
        fearHangup: fearing.length > Number(isHandling && target.fearsHangup),
      };
      const step = dueStep(target, others, open, now);
      if (step === null) return;
      const delivery = signalMember(target, STEP_SIGNALS[step]);
      if (delivery !== 'failed') target.done.add(step);
      // It belongs to another user by now (sudo): it never got the signal, so waiting for its reaction is useless.
      if (delivery === 'refused') target.toTerm = 'dies';
    });
    session.file.recordAsked();
    if (!targets.some(({ pid }) => pid === session.file.record.pid)) this.#signalChild(open);
  }

  /** Signals the child itself, even if /proc does not show it (hidepid, no free fd): its pidfd is unambiguous. */
  #signalChild(open: Case): void {
    const { session, childDone } = open;
    const child = session.handOver();
    const now = performance.now();
    if (!child) return;
    const step = dueStep({ ...HIDDEN, done: childDone }, { handle: false, fearHangup: false }, open, now);
    if (step === null) return;
    childDone.add(step);
    for (const signal of STEP_SIGNALS[step]) native.pidfdSignal(child.fds.at(-1)!, constants.signals[signal]);
  }

  #finish(id: string, open: Case): void {
    this.#cases.delete(id);
    open.session.leftRunning = open.left;
    const { controlGroup } = open.session.file.record;
    if (controlGroup) removeControlGroup(controlGroup);
    open.done.resolve();
  }
}

/** Returns whether an error means that there is no free fd or no memory, so that another attempt may succeed. */
function isShortage(error: unknown): boolean {
  return ['EMFILE', 'ENFILE', 'ENOMEM'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** The assumptions for a child that /proc does not show. */
const HIDDEN = { toTerm: 'dies', isLeaderOfTerminal: false, isForeground: true } as const;

function keyOf({ pid, startTicks }: Member): string {
  return `${pid}/${startTicks}`;
}

/** Returns whether a process was started by one that was sent SIGTERM and handles it: it helps with the clean-up. */
function isOfHandler(
  row: ProcessRow,
  rows: ReadonlyMap<number, ProcessRow>,
  targets: ReadonlyMap<string, Target>,
): boolean {
  for (let at = rows.get(row.parent), steps = 0; at && steps < rows.size; at = rows.get(at.parent), steps++) {
    const target = targets.get(keyOf(at));
    if (target) return target.toTerm === 'handles';
  }
  return false;
}

/** `isSpared`: the process is not sent SIGTERM, only SIGKILL in the end. */
function targetOf(row: ProcessRow, session: KeeperSession, isSpared: boolean): Target {
  const { pid, startTicks, hasTerminal, isForeground, isStopped } = row;
  const isLeaderOfTerminal = hasTerminal && pid === session.file.record.pid;
  // A process that was signalled before may be saving its data by now, with another disposition, so it gets its time. A stopped
  // leader did not get the signal.
  const isAsked = isSpared && !(isLeaderOfTerminal && isStopped);
  const toTerm: ToTerm = isAsked ? 'handles' : whatTermDoes(pid);
  // The kernel sends SIGHUP to the foreground group only.
  const fearsHangup = toTerm === 'handles' && hasTerminal && isForeground && !ignoresHangup(pid);
  return {
    pid,
    startTicks,
    toTerm,
    fearsHangup,
    isLeaderOfTerminal,
    isForeground,
    done: new Set(isAsked ? ['ask'] : []),
  };
}
