/**
 * Decides the next signal, and its time, for each process of a session that is ending. It is pure: time and the state of the
 * processes are inputs. Keeps the order of signals: RUN-5, RUN-40 and RUN-41.
 *
 * SIGTERM comes first, and the whole grace period belongs to processes that handle it: they drain, save and exit. SIGKILL comes
 * only after that. SIGHUP is for processes that ignore SIGTERM, above all interactive shells; and only once no process is left
 * that handles SIGTERM, because a shell passes its SIGHUP on to its jobs.
 *
 * When the leader of a terminal session dies, the kernel hangs up on the foreground group. Therefore a leader that would die of
 * SIGTERM at once (`sh -c 'server; …'`) is stopped (SIGSTOP) until the affected processes have had their time.
 */
import type { ToTerm } from './process-sweep.ts';

/**
 * The time after which SIGHUP is sent: by then it is clear which processes ignore SIGTERM. The time after which a shell without
 * jobs is stopped.
 */
export const HANGUP_AFTER_MS = 100;

export type TerminationStep = 'hold' | 'ask' | 'hang-up' | 'kill';

/** The signals of each step, with SIGCONT, because a stopped process receives no other signal. */
export const STEP_SIGNALS: Readonly<Record<TerminationStep, readonly NodeJS.Signals[]>> = {
  hold: ['SIGSTOP'],
  ask: ['SIGTERM', 'SIGCONT'],
  'hang-up': ['SIGHUP', 'SIGCONT'],
  kill: ['SIGKILL'],
};

/** A process of a session that is ending. */
export interface EndingProcess {
  /** The reaction when the process was first examined: many programs change it in their handler. */
  readonly toTerm: ToTerm;
  /** Whether its end closes the terminal for all others. */
  readonly isLeaderOfTerminal: boolean;
  /** Whether it is in the foreground, and so not a shell that waits for another job. */
  readonly isForeground: boolean;
  readonly done: ReadonlySet<TerminationStep>;
}

/** The reactions of the session's other processes, as long as they exist. */
export interface OtherProcesses {
  /** Whether some of them handle SIGTERM. */
  readonly handle: boolean;
  /** Whether the kernel would hang up on some of these when the leader ends. */
  readonly fearHangup: boolean;
}

/** Times on a monotonic clock. */
export interface Schedule {
  readonly askedAt: number;
  readonly killAt: number;
}

/** Returns the step that is due for a process; null for none. Each step is taken once, but SIGKILL is repeated. */
export function dueStep(
  process: EndingProcess,
  others: OtherProcesses,
  { askedAt, killAt }: Schedule,
  now: number,
): TerminationStep | null {
  if (now >= killAt) return 'kill';
  const { toTerm, done } = process;
  if (!done.has('ask')) {
    const wouldLeave = toTerm === 'dies' || (toTerm === 'handles' && !process.isForeground);
    if (!process.isLeaderOfTerminal || !others.fearHangup || !wouldLeave) return 'ask';
    return done.has('hold') ? null : 'hold';
  }
  if (toTerm !== 'ignores' || others.handle || done.has('hang-up')) return null;
  return now >= askedAt + HANGUP_AFTER_MS ? 'hang-up' : null;
}

/** Returns the time until a step is due. */
export function nextStepInMs({ askedAt, killAt }: Schedule, now: number): number {
  const dueAt = [askedAt + HANGUP_AFTER_MS, killAt].find((at) => at > now);
  return dueAt === undefined ? Infinity : dueAt - now;
}
