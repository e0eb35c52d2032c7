/** The filter and the order of a list of sessions. */
import type { MessageOf } from './message-type.ts';
import type { SessionInfo } from './messages.ts';
import type { LIST_FILTER, LIST_OPTIONS } from './schemas/requests.ts';

/** All states except `running`. */
export const ENDED_STATES = ['exited', 'failed', 'stopped', 'killed', 'lost'] as const;

/**
 * The minimum length of an id prefix. Otherwise the short name of a removed session would match a session whose id begins with it:
 * with 40 sessions, every third letter matches exactly one.
 */
export const ID_PREFIX_CHARS_MIN = 4;

export type ListFilter = MessageOf<typeof LIST_FILTER>;
export type ListOptions = MessageOf<typeof LIST_OPTIONS>;

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
