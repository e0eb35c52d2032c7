/** What a session is doing, in the one word that the page shows: its life and its status in one. */
import type { SessionInfo } from '@spool/client';

export type Condition = 'waits' | 'working' | 'idle' | 'starting' | 'done' | 'failed' | 'stopped' | 'lost';

export const CONDITION_WORDS: Readonly<Record<Condition, string>> = {
  waits: 'waits for you',
  working: 'working',
  idle: 'idle',
  starting: 'starting',
  done: 'done',
  failed: 'failed',
  stopped: 'stopped',
  lost: 'lost',
};

export function conditionOf({ state, status }: Pick<SessionInfo, 'state' | 'status'>): Condition {
  switch (state) {
    case 'running':
      if (status.state === 'blocked') return 'waits';
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

/** What waits for the user comes first, then what works; the ended come last. */
export const CONDITION_ORDER: readonly Condition[] = [
  'waits',
  'working',
  'starting',
  'idle',
  'failed',
  'lost',
  'done',
  'stopped',
];
