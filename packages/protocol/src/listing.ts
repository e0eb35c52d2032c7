/** The filter and the order of a list of sessions. */
import type { SessionInfo, SessionState } from './messages.ts';
import type { StatusState } from './status.ts';

/** All states except `running`. */
export const ENDED_STATES = ['exited', 'failed', 'stopped', 'killed', 'lost'] as const satisfies SessionState[];

/** The conditions of a list, which must all be true. */
export interface ListFilter {
  readonly states?: readonly SessionState[] | undefined;
  /** The exact name. */
  readonly name?: string | undefined;
  /** The required labels, with these values. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly isTask?: boolean | undefined;
  /** The texts of which the name contains at least one, ignoring case. */
  readonly nameContains?: readonly string[] | undefined;
  /** The required labels, with any values. */
  readonly labelKeys?: readonly string[] | undefined;
  /** The accepted statuses of a running session. */
  readonly statuses?: readonly StatusState[] | undefined;
  /** The accepted agents, as named in the status. */
  readonly agents?: readonly string[] | undefined;
}

export interface ListOptions extends ListFilter {
  /** The order by the time of the start (default: `oldest` first). */
  readonly order?: 'oldest' | 'newest' | undefined;
  /** The maximum number of sessions. */
  readonly limit?: number | undefined;
}

export function isListed(
  session: Pick<SessionInfo, 'state' | 'name' | 'labels' | 'isTask'> & {
    readonly status: Pick<SessionInfo['status'], 'state' | 'agent'>;
  },
  { states, name, labels, isTask, nameContains, labelKeys, statuses, agents }: ListFilter,
): boolean {
  if (states && !states.includes(session.state)) return false;
  if (name !== undefined && session.name !== name) return false;
  if (isTask !== undefined && session.isTask !== isTask) return false;
  if (statuses && !statuses.includes(session.status.state)) return false;
  if (agents && !agents.includes(session.status.agent ?? '')) return false;
  if (labelKeys && !labelKeys.every((key) => Object.hasOwn(session.labels, key))) return false;
  if (nameContains && !containsAny(session.name, nameContains)) return false;
  return !labels || Object.entries(labels).every(([key, value]) => session.labels[key] === value);
}

function containsAny(name: string, texts: readonly string[]): boolean {
  const lower = name.toLowerCase();
  return texts.some((text) => lower.includes(text.toLowerCase()));
}
