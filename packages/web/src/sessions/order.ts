/** Sorts sessions, and filters them by a search. */
import type { PageSession } from './store.ts';
import { CONDITION_ORDER, CONDITION_WORDS, conditionOf } from '../state/condition.ts';

/** Sorts sessions: among those that wait, the longest waiting comes first; elsewhere the newest. */
export function inOrder(sessions: Iterable<PageSession>): PageSession[] {
  return [...sessions].sort((a, b) => {
    const rank = rankOf(a) - rankOf(b);
    if (rank !== 0) return rank;
    if (conditionOf(a) === 'waits') return a.status.since - b.status.since;
    return (b.endedAt ?? b.startedAt) - (a.endedAt ?? a.startedAt);
  });
}

const rankOf = (session: PageSession): number => CONDITION_ORDER.indexOf(conditionOf(session));

/** Returns whether each word is in the name, the node, the command, the folder, a label, the condition, or the question. */
export function matches(session: PageSession, search: string): boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const labels = Object.entries(session.labels).map(([key, value]) => `${key}=${value}`);
  const { question, agent } = session.status;
  const condition = conditionOf(session);
  const text = [
    session.name,
    session.node ?? '',
    session.command.join(' '),
    session.cwd,
    condition,
    CONDITION_WORDS[condition],
    session.title,
    ...labels,
    agent ?? '',
    question?.text ?? '',
    question?.subject ?? '',
  ]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}
