/**
 * The condition of a session in one word: its lifecycle and its status combined. `erred`: the session runs, and its last turn has
 * failed, so that it does nothing until the user acts. `away`: the session was running when its node was last seen. Keeps PAGE-60.
 */
import type { NodeSession } from '@spool/client';

export type SessionCondition =
  | 'waits'
  | 'erred'
  | 'working'
  | 'idle'
  | 'starting'
  | 'away'
  | 'done'
  | 'failed'
  | 'stopped'
  | 'lost';

export const CONDITION_WORDS: Readonly<Record<SessionCondition, string>> = {
  waits: 'waits for you',
  erred: 'turn failed',
  working: 'working',
  idle: 'idle',
  starting: 'starting',
  away: 'machine away',
  done: 'done',
  failed: 'failed',
  stopped: 'stopped',
  lost: 'lost',
};

export function conditionOf({
  state,
  status,
  nodeAwaySince,
}: Pick<NodeSession, 'state' | 'status' | 'nodeAwaySince'>): SessionCondition {
  switch (state) {
    case 'running':
      if (nodeAwaySince !== undefined) return 'away';
      if (status.state === 'blocked') return 'waits';
      if (status.state === 'idle' && status.kind === 'error') return 'erred';
      return status.state === 'exited' ? 'idle' : status.state;
    case 'exited':
      return 'done';
    case 'failed':
      return 'failed';
    case 'lost':
      return 'lost';
    default:
      return 'stopped';
  }
}

/** The order of conditions: those that need the user come first, then the working ones; ended sessions come last. */
export const CONDITION_ORDER: readonly SessionCondition[] = [
  'waits',
  'erred',
  'working',
  'starting',
  'idle',
  'away',
  'failed',
  'lost',
  'done',
  'stopped',
];
