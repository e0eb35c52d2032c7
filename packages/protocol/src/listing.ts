/** Which sessions to list, and in which order. */
import type { SessionInfo, SessionState } from './messages.ts';

/** All except `running`. */
export const ENDED_STATES = ['exited', 'failed', 'stopped', 'killed', 'lost'] as const satisfies SessionState[];

/** All given conditions must hold. */
export interface ListFilter {
  readonly states?: readonly SessionState[] | undefined;
  /** Exactly this name. */
  readonly name?: string | undefined;
  /** All of these labels, with these values. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly isTask?: boolean | undefined;
}

export interface ListOptions extends ListFilter {
  /** By the time of their start (default: `oldest` first). */
  readonly order?: 'oldest' | 'newest' | undefined;
  /** At most this many. */
  readonly limit?: number | undefined;
}

export function isListed(
  session: Pick<SessionInfo, 'state' | 'name' | 'labels' | 'isTask'>,
  { states, name, labels, isTask }: ListFilter,
): boolean {
  if (states && !states.includes(session.state)) return false;
  if (name !== undefined && session.name !== name) return false;
  if (isTask !== undefined && session.isTask !== isTask) return false;
  return !labels || Object.entries(labels).every(([key, value]) => session.labels[key] === value);
}
