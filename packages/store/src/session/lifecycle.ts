/**
 * The lifecycle of a session, as a state machine. Time is an input, so a whole lifecycle is tested without a process.
 * Keeps RUN-42.
 *
 * An end has two halves: the child's exit (the session has ended, its log is complete), and the empty process tree (no process
 * that it left behind still runs). `stop` and `kill` promise the second.
 */
import type { EndedBy, SessionState } from '@spool/protocol';

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export type Lifecycle =
  | { readonly phase: 'running'; readonly ending: EndRequest | null }
  | {
      readonly phase: 'ended';
      readonly state: Exclude<SessionState, 'running'>;
      readonly exit: Exit;
      readonly endedAt: number;
      readonly endedBy: EndedBy | null;
    };

/**
 * A requested end: gentle until `killAt`, then by force. The time is wall-clock time, because the next keeper has to understand
 * it; the present keeper uses a monotonic clock.
 */
export interface EndRequest {
  readonly by: EndedBy;
  readonly askedAt: number;
  readonly killAt: number;
  /** Whether SIGTERM was sent to the processes. A second SIGTERM would end many programs that are saving at the moment. */
  readonly isAsked?: boolean;
}

export type LifecycleInput =
  | { readonly type: 'end'; readonly by: EndedBy; readonly at: number; readonly graceMs: number }
  /** The first signal was sent to the processes. */
  | { readonly type: 'asked' }
  | { readonly type: 'exit'; readonly exit: Exit; readonly at: number }
  /** The daemon finds a session on disk that no process holds. */
  | { readonly type: 'lost'; readonly at: number };

export function step(lifecycle: Lifecycle, input: LifecycleInput): Lifecycle {
  if (lifecycle.phase === 'ended') return lifecycle; // an end is final, and a second request is not an error
  switch (input.type) {
    case 'end':
      return {
        phase: 'running',
        ending: sooner(lifecycle.ending, { by: input.by, askedAt: input.at, killAt: input.at + input.graceMs }),
      };
    case 'asked':
      return { phase: 'running', ending: lifecycle.ending && { ...lifecycle.ending, isAsked: true } };
    case 'exit':
      return {
        phase: 'ended',
        state: stateOf(input.exit, lifecycle.ending),
        exit: input.exit,
        endedAt: input.at,
        endedBy: lifecycle.ending?.by ?? null,
      };
    case 'lost':
      return { phase: 'ended', state: 'lost', exit: { code: null, signal: null }, endedAt: input.at, endedBy: null };
  }
}

/** Combines two requests: a kill overrides a stop; a stop does not soften a kill. */
function sooner(before: EndRequest | null, now: EndRequest): EndRequest {
  if (before === null) return now;
  const isHarder = now.by === 'kill' && before.by !== 'kill'; // independent of the clock
  if (!isHarder && now.killAt >= before.killAt) return before;
  return { ...now, askedAt: before.askedAt, ...(before.isAsked && { isAsked: true }) };
}

function stateOf(exit: Exit, ending: EndRequest | null): Exclude<SessionState, 'running'> {
  if (ending) return ending.by === 'kill' ? 'killed' : 'stopped';
  return exit.code === 0 ? 'exited' : 'failed';
}
