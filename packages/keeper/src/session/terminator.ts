/**
 * Ends sessions with their whole process trees: SIGTERM, then SIGKILL, repeated until no process is left. All sessions
 * that are ending share one scan of the process table; no timer runs when none is ending. Keeps RUN-5, RUN-7 and RUN-9.
 * Keeps TASK-4: a timeout ends the whole tree too.
 */
import {
  type Doomed,
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
  type Wanted,
  whatTermDoes,
} from '@spool/core';
import { native } from '@spool/native';
import { constants } from 'node:os';
import type { EndedBy } from '@spool/protocol';
import type { Session } from './session.ts';

/** While a session is ending, its known processes are checked this often. */
const LOOK_EVERY_MS = 100;
const LOOK_SOON_MS = 10;

/** While processes handle SIGTERM, new ones are searched for this often. */
const SWEEP_EVERY_MS = 1000;

/** Scanning takes at most this share of the time, however many processes there are. */
const LOOKING_SHARE_MAX = 0.2;

/** A process that survives SIGKILL this long is stuck in the kernel; nothing more can be done. */
const GIVE_UP_MS = 10_000;

/** A process of an ending session, and the signals that it was sent. */
interface Target extends Member, Doomed {
  toTerm: ToTerm;
  /** It handles SIGTERM, and the end of the leader would interrupt that. */
  readonly fearsHangup: boolean;
  readonly done: Set<TerminationStep>;
}

interface Case extends Schedule {
  readonly session: Session;
  killAt: number;
  targets: readonly Target[];
  /** An earlier keeper has sent SIGTERM to its processes. */
  readonly isResumed: boolean;
  isSwept: boolean;
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

  /** `ours`: pids of the daemon, which belong to no session. */
  constructor(ours: () => readonly number[] = () => []) {
    this.#sweep = new ProcessSweep(ours);
  }

  /**
   * Resolves when the session has ended and none of its processes is left. `isResumed`: the last keeper had started to
   * end it, so its present processes have been sent SIGTERM already.
   */
  end(session: Session, by: EndedBy, graceMs: number, { isResumed = false } = {}): Promise<void> {
    if (session.isCopy) return Promise.resolve();
    session.askEnd(by, graceMs);
    const askedAt = performance.now();
    const killAt = askedAt + graceMs;
    let open = this.#cases.get(session.id);
    if (open) open.killAt = Math.min(open.killAt, killAt);
    else {
      open = {
        session,
        askedAt,
        killAt,
        targets: [],
        isResumed,
        isSwept: false,
        childDone: new Set(isResumed ? ['ask'] : []),
        done: Promise.withResolvers(),
      };
      this.#cases.set(session.id, open);
      session.whenEnded(() => this.#lookIn(LOOK_SOON_MS));
    }
    this.#lookIn(0);
    return open.done.promise;
  }

  /** Resolves when this session is not being ended any more: at once, if it never was. */
  async settled(session: Session): Promise<void> {
    await this.#cases.get(session.id)?.done.promise;
  }

  /** Resolves when no session is ending any more; those that are get at most this grace period. */
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
      // Nothing is known of the processes now, so none counts as gone. The children can still be signalled.
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

  /** A scan of /proc is expensive: done first, before an end is believed, from SIGKILL on, and otherwise at intervals. */
  #mustSweep({ isSwept, targets, session, killAt }: Case): boolean {
    const now = performance.now();
    if (!isSwept || now >= killAt || now - this.#sweptAt >= SWEEP_EVERY_MS) return true;
    return targets.length === 0 && !session.isRunning;
  }

  async #sweepFor(cases: readonly (readonly [string, Case])[]): Promise<void> {
    const wanted = new Map<string, Wanted>();
    const seen = new Map<string, readonly Member[]>();
    for (const [id, { session, targets }] of cases) {
      wanted.set(id, { leader: session.process, controlGroup: session.controlGroup });
      seen.set(id, targets);
    }
    const found = await this.#sweep.find(wanted, seen);
    this.#sweptAt = performance.now();
    for (const [id, open] of cases) {
      const rows = new Map(found.get(id)!.map((row) => [row.pid, row]));
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
      // It belongs to another user by now (sudo): there is no point in waiting for its reaction to a signal that it
      // never got.
      if (delivery === 'refused') target.toTerm = 'dies';
    });
    session.recordAsked();
    if (!targets.some(({ pid }) => pid === session.pid)) this.#signalChild(open);
  }

  /** Signals the child itself, even where /proc does not show it (hidepid, no free fd): its pidfd is unambiguous. */
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
    if (open.session.controlGroup) removeControlGroup(open.session.controlGroup);
    open.done.resolve();
  }
}

/** No free fd, or no memory: worth another try. */
function isShortage(error: unknown): boolean {
  return ['EMFILE', 'ENFILE', 'ENOMEM'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** The assumptions for a child that /proc does not show. */
const HIDDEN = { toTerm: 'dies', isLeaderOfTerminal: false, isForeground: true } as const;

function keyOf({ pid, startTicks }: Member): string {
  return `${pid}/${startTicks}`;
}

/** Started by a process that was sent SIGTERM and handles it: it helps with the clean-up. */
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

/** `isSpared`: it is not sent SIGTERM, only SIGKILL in the end. */
function targetOf(row: ProcessRow, session: Session, isSpared: boolean): Target {
  const { pid, startTicks, hasTerminal, isForeground, isStopped } = row;
  const isLeaderOfTerminal = hasTerminal && pid === session.pid;
  // A process that was signalled before may be saving by now, with another disposition: it gets its time. A stopped
  // leader did not get the signal.
  const isAsked = isSpared && !(isLeaderOfTerminal && isStopped);
  const toTerm: ToTerm = isAsked ? 'handles' : whatTermDoes(pid);
  // The kernel hangs up on the foreground group only.
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
