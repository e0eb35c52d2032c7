/**
 * Groups the waiting sessions by their questions, so that thirty equal questions are one card. Equal questions have the same words
 * and the same answers; their subjects may differ, and the card shows each of them. Keeps PAGE-70.
 */
import { isAskedByAgent } from '@spool/protocol';
import type { SessionInfo } from '@spool/client';

/** The number of equal questions from which on they become one card: two are answered as quickly one by one. */
const GROUP_MIN = 3;
/** The maximum length of a request in a group; a longer one gets its own card. */
const REQUEST_BYTES_MAX = 2_000;

export interface QuestionGroup {
  readonly key: string;
  /** One session, or at least three with equal questions, the longest waiting first. */
  readonly sessions: readonly SessionInfo[];
}

/** Returns the groups in the order of their first session. */
export function groupQuestions(waiting: readonly SessionInfo[]): readonly QuestionGroup[] {
  const equal = new Map<string, SessionInfo[]>();
  for (const session of waiting) {
    const key = equalityOf(session);
    if (key === null) continue;
    const members = equal.get(key);
    if (members === undefined) equal.set(key, [session]);
    else members.push(session);
  }
  const groups: QuestionGroup[] = [];
  for (const session of waiting) {
    const key = equalityOf(session);
    const members = key === null ? undefined : equal.get(key);
    if (members === undefined || members.length < GROUP_MIN)
      groups.push({ key: `${session.id} ${session.status.since}`, sessions: [session] });
    else if (members[0] === session) groups.push({ key: `group ${key}`, sessions: members });
  }
  return groups;
}

/** Returns a key that equal questions share; null for a question that is answered by itself. */
function equalityOf(session: SessionInfo): string | null {
  const { driver, status } = session;
  const { question, requests, agent } = status;
  if (isAskedByAgent(session)) {
    const open = requests?.[0];
    if (open === undefined || requests?.length !== 1 || open.type !== 'permission') return null;
    if (open.isCut === true || open.bytes > REQUEST_BYTES_MAX) return null;
    return JSON.stringify([driver?.name, open.tool, open.options.map(({ kind, label }) => [kind, label])]);
  }
  if (question === undefined || question.options.length === 0) return null;
  if (question.options.some(({ key }) => key === null)) return null;
  return JSON.stringify([agent, question.text, question.options.map(({ label }) => label)]);
}
