/** The order of sessions in lists: those that wait for the user first, then those that run, then those that ended. */
import type { SessionInfo, StatusInfo } from '@spool/protocol';
import { isEnded } from './session-words.ts';

export type Group = 'blocked' | 'working' | 'idle' | 'starting' | 'ended';

/** In display order. */
export const GROUPS: readonly Group[] = ['blocked', 'working', 'idle', 'starting', 'ended'];

type Ordered = Pick<SessionInfo, 'id' | 'state' | 'startedAt' | 'endedAt'> & {
  readonly status: Pick<StatusInfo, 'state'>;
};

export function groupOf(session: Pick<Ordered, 'state' | 'status'>): Group {
  if (isEnded(session)) return 'ended';
  const { state } = session.status;
  return state === 'exited' ? 'working' : state; // its end is announced in a moment
}

/** Within a group, running sessions by start time, so that they do not move; ended sessions with the latest first. */
export function byNeed(a: Ordered, b: Ordered): number {
  return GROUPS.indexOf(groupOf(a)) - GROUPS.indexOf(groupOf(b)) || timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1);
}

const timeOf = ({ startedAt, endedAt }: Ordered): number => (endedAt === null ? startedAt : -endedAt);
