/** Which sessions to list, and in which order. */
import type { SessionInfo, SessionState } from './messages.ts';
import type { StatusState } from './status.ts';

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
  /** Any of these texts, ignoring case. */
  readonly nameContains?: readonly string[] | undefined;
  /** All of these labels, whatever their values. */
  readonly labelKeys?: readonly string[] | undefined;
  /** Any of these: what a running session does. */
  readonly statuses?: readonly StatusState[] | undefined;
  /** Any of these agents, as the status names them. */
  readonly agents?: readonly string[] | undefined;
}

export interface ListOptions extends ListFilter {
  /** By the time of their start (default: `oldest` first). */
  readonly order?: 'oldest' | 'newest' | undefined;
  /** At most this many. */
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
