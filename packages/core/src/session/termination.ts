/**
 * What to do, and when, with each process of a session that is to end. Pure: time and what is known of the processes are
 * inputs.
 *
 * SIGTERM comes first, and the whole grace period belongs to those that handle it: they drain, save and leave. Only then
 * SIGKILL. SIGHUP is for those that ignore SIGTERM, above all interactive shells; and only once nobody is left who handles
 * SIGTERM, because a shell passes its SIGHUP on to its jobs.
 *
 * When the leader of a terminal session dies, the kernel hangs up on whoever is in the foreground. So a leader that would
 * die of SIGTERM at once (`sh -c 'server; …'`) is stopped (SIGSTOP) until those who mind that have had their time.
 */
import type { ToTerm } from './process-sweep.ts';

/** By then whoever does not mind SIGTERM has shown it. A shell without jobs is stopped this soon. */
export const HANGUP_AFTER_MS = 100;

export type TerminationStep = 'hold' | 'ask' | 'hang-up' | 'kill';

/** SIGCONT, because a process that is stopped sees no other signal. */
export const STEP_SIGNALS: Readonly<Record<TerminationStep, readonly NodeJS.Signals[]>> = {
  hold: ['SIGSTOP'],
  ask: ['SIGTERM', 'SIGCONT'],
  'hang-up': ['SIGHUP', 'SIGCONT'],
  kill: ['SIGKILL'],
};

/** A process of a session that is to end. */
export interface Doomed {
  /** As it was when it was first seen: many programs change it in their handler. */
  readonly toTerm: ToTerm;
  /** Its end is the end of the terminal for all others. */
  readonly isLeaderOfTerminal: boolean;
  /** Not a shell that waits for another job. */
  readonly isForeground: boolean;
  readonly done: ReadonlySet<TerminationStep>;
}

/** What others of the session do, as long as they are there. */
export interface Others {
  /** Some handle SIGTERM. */
  readonly handle: boolean;
  /** Some of these would be hung up on by the kernel with the end of the leader. */
  readonly fearHangup: boolean;
}

/** On a clock that only ever goes forward. */
export interface Schedule {
  readonly askedAt: number;
  readonly killAt: number;
}

/** What is due for a process; null for nothing. Each step is taken once, but SIGKILL is repeated. */
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

/** How long nothing is due by the clock. */
export function nextStepInMs({ askedAt, killAt }: Schedule, now: number): number {
  const dueAt = [askedAt + HANGUP_AFTER_MS, killAt].find((at) => at > now);
  return dueAt === undefined ? Infinity : dueAt - now;
}
