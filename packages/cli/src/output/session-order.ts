/** The order of sessions in lists: those that wait for the user first, then those that run, then those that ended. */
import type { SessionInfo, StatusInfo } from '@spool/protocol';
import { isEnded } from './session-words.ts';

export type StateGroup = 'blocked' | 'working' | 'idle' | 'starting' | 'ended';

/** The groups in display order. */
export const GROUPS: readonly StateGroup[] = ['blocked', 'working', 'idle', 'starting', 'ended'];

type SortableSession = Pick<SessionInfo, 'id' | 'state' | 'startedAt' | 'endedAt'> & {
  readonly status: Pick<StatusInfo, 'state'>;
};

export function groupOf(session: Pick<SortableSession, 'state' | 'status'>): StateGroup {
  if (isEnded(session)) return 'ended';
  const { state } = session.status;
  return state === 'exited' ? 'working' : state; // the end will be announced in a moment
}

/**
 * Compares two sessions: within a group, running sessions by start time, so that they do not move; ended sessions with the latest
 * first.
 */
export function byNeed(a: SortableSession, b: SortableSession): number {
  return GROUPS.indexOf(groupOf(a)) - GROUPS.indexOf(groupOf(b)) || timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1);
}

const timeOf = ({ startedAt, endedAt }: SortableSession): number => (endedAt === null ? startedAt : -endedAt);
