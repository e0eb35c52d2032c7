/**
 * The life of a session, as a machine: what it is now, what happened, what is to be done. Time is an input, so a whole
 * life is tested without a process.
 *
 * An end has two halves: the child's exit (the session has ended, its log is complete), and the tree being empty (nothing
 * that it left behind still runs). `stop` and `kill` promise the second.
 */
import type { EndedBy, SessionState } from '@spool/protocol';

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export type Life =
  | { readonly phase: 'running'; readonly ending: Ending | null }
  | {
      readonly phase: 'ended';
      readonly state: Exclude<SessionState, 'running'>;
      readonly exit: Exit;
      readonly endedAt: number;
      readonly endedBy: EndedBy | null;
    };

/** Somebody asked for the end: gently until `killAt`, then not. */
export interface Ending {
  readonly by: EndedBy;
  readonly askedAt: number;
  readonly killAt: number;
}

export type LifeInput =
  | { readonly type: 'end'; readonly by: EndedBy; readonly at: number; readonly graceMs: number }
  | { readonly type: 'exit'; readonly exit: Exit; readonly at: number }
  /** The daemon finds a session on disk that nobody holds. */
  | { readonly type: 'lost'; readonly at: number };

export function step(life: Life, input: LifeInput): Life {
  if (life.phase === 'ended') return life; // an end is final: asking twice is not an error
  switch (input.type) {
    case 'end':
      return {
        phase: 'running',
        ending: sooner(life.ending, { by: input.by, askedAt: input.at, killAt: input.at + input.graceMs }),
      };
    case 'exit':
      return {
        phase: 'ended',
        state: stateOf(input.exit, life.ending),
        exit: input.exit,
        endedAt: input.at,
        endedBy: life.ending?.by ?? null,
      };
    case 'lost':
      return { phase: 'ended', state: 'lost', exit: { code: null, signal: null }, endedAt: input.at, endedBy: null };
  }
}

/** What is due for the processes of a session that is to end. */
export function signalsDue(ending: Ending, now: number): readonly ('SIGTERM' | 'SIGHUP' | 'SIGCONT' | 'SIGKILL')[] {
  if (now >= ending.killAt) return ['SIGKILL'];
  // An interactive shell ignores SIGTERM and minds SIGHUP; a server that tidies up on SIGTERM may die at once of SIGHUP.
  // So SIGTERM first, and SIGHUP for what is still there a moment later. SIGCONT, for a stopped process sees neither.
  return now < ending.askedAt + HANGUP_AFTER_MS ? ['SIGTERM', 'SIGCONT'] : ['SIGHUP', 'SIGCONT'];
}

export const HANGUP_AFTER_MS = 250;

/** A kill overrides a stop; a stop does not soften a kill. */
function sooner(before: Ending | null, now: Ending): Ending {
  if (before === null) return now;
  return now.killAt < before.killAt ? { ...now, askedAt: before.askedAt } : before;
}

function stateOf(exit: Exit, ending: Ending | null): Exclude<SessionState, 'running'> {
  if (ending) return ending.by === 'kill' ? 'killed' : 'stopped';
  return exit.code === 0 ? 'exited' : 'failed';
}
