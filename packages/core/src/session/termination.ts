/**
 * Decides the next signal, and its time, for each process of a session that is ending. Pure: time and the state of the
 * processes are inputs. Keeps the order of signals of RUN-5.
 *
 * SIGTERM comes first, and the whole grace period belongs to processes that handle it: they drain, save and exit. Only
 * then SIGKILL. SIGHUP is for processes that ignore SIGTERM, above all interactive shells; and only once no process is
 * left that handles SIGTERM, because a shell passes its SIGHUP on to its jobs.
 *
 * When the leader of a terminal session dies, the kernel hangs up on the foreground group. So a leader that would die
 * of SIGTERM at once (`sh -c 'server; …'`) is stopped (SIGSTOP) until the processes affected by that have had their
 * time.
 */
import type { ToTerm } from './process-sweep.ts';

/** By then a process that ignores SIGTERM has shown it. A shell without jobs is stopped this soon. */
export const HANGUP_AFTER_MS = 100;

export type TerminationStep = 'hold' | 'ask' | 'hang-up' | 'kill';

/** With SIGCONT, because a stopped process sees no other signal. */
export const STEP_SIGNALS: Readonly<Record<TerminationStep, readonly NodeJS.Signals[]>> = {
  hold: ['SIGSTOP'],
  ask: ['SIGTERM', 'SIGCONT'],
  'hang-up': ['SIGHUP', 'SIGCONT'],
  kill: ['SIGKILL'],
};

/** A process of a session that is ending. */
export interface Doomed {
  /** As it was when first seen: many programs change it in their handler. */
  readonly toTerm: ToTerm;
  /** Its end closes the terminal for all others. */
  readonly isLeaderOfTerminal: boolean;
  /** Not a shell that waits for another job. */
  readonly isForeground: boolean;
  readonly done: ReadonlySet<TerminationStep>;
}

/** What the session's other processes do, as long as they are there. */
export interface Others {
  /** Some handle SIGTERM. */
  readonly handle: boolean;
  /** Some of these would be hung up on by the kernel when the leader ends. */
  readonly fearHangup: boolean;
}

/** On a monotonic clock. */
export interface Schedule {
  readonly askedAt: number;
  readonly killAt: number;
}

/** The step that is due for a process; null for none. Each step is taken once, but SIGKILL is repeated. */
export function dueStep(
  process: Doomed,
  others: Others,
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

/** The time until a step is due. */
export function nextStepInMs({ askedAt, killAt }: Schedule, now: number): number {
  const dueAt = [askedAt + HANGUP_AFTER_MS, killAt].find((at) => at > now);
  return dueAt === undefined ? Infinity : dueAt - now;
}
