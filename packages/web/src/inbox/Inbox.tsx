/**
 * Every session that waits for a person, once, with its question and its answers; the one that waits longest first. After an
 * answer the next card has the focus. Keeps PAGE-70 and PAGE-71.
 */
import type { SessionInfo } from '@spool/client';
import { shortDuration } from '@spool/protocol/duration';
import { type RefObject, useEffect, useRef } from 'react';
import { displayName } from '../sessions/session-words.ts';
import { useNow } from '../shell/ages.ts';
import { addressOf } from '../shell/route.ts';
import { CONDITION_ORDER, type SessionCondition, conditionOf } from '../state/condition.ts';
import { StateMark } from '../state/StateMark.tsx';
import { AskCard } from './AskCard.tsx';
import { landOn } from './answer-keys.ts';
import { useAnswered } from './answered-requests.ts';
import { GroupCard } from './GroupCard.tsx';
import { groupQuestions } from './question-groups.ts';

interface InboxProps {
  readonly sessions: readonly SessionInfo[];
  /** The sessions that match the filter. */
  readonly shown: readonly SessionInfo[];
  /** The bar with the filter. */
  readonly bar: React.ReactNode;
}

export function Inbox({ sessions, shown, bar }: InboxProps) {
  const count = sessions.filter((session) => conditionOf(session) === 'waits').length;
  const waiting = shown.filter((session) => conditionOf(session) === 'waits');
  const groups = groupQuestions(waiting);
  const section = useRef<HTMLElement>(null);
  useFocusAfterAnswer(section, groups.map(({ key }) => key).join('\n'));
  return (
    <section className="inbox" aria-labelledby="inbox-title" ref={section}>
      <header className="inbox-head">
        <h1 id="inbox-title" tabIndex={-1}>
          {titleOf(count, waiting.length)}
        </h1>
        <Counts sessions={sessions} />
      </header>
      {bar}
      {groups.length > 0 && (
        <div className="ask-cards">
          {groups.map(({ key, sessions: members }) =>
            members.length === 1 ? (
              <AskCard key={key} session={members[0]!} />
            ) : (
              <GroupCard key={key} sessions={members} />
            ),
          )}
        </div>
      )}
      <JustAnswered />
    </section>
  );
}

function titleOf(count: number, shown: number): string {
  if (count === 0) return 'Nothing waits for you';
  if (shown < count) return `${shown} of ${count} waiting sessions`;
  return count === 1 ? 'One session waits for you' : `${count} sessions wait for you`;
}

/** Moves the focus on when the focused card has disappeared, so that a user who answers by keyboard continues with the next one. */
function useFocusAfterAnswer(section: RefObject<HTMLElement | null>, cards: string): void {
  const held = useRef<{ readonly card: Element; readonly index: number } | null>(null);
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent): void => {
      const card = target instanceof Element ? target.closest('.inbox .ask') : null;
      held.current = card === null ? null : { card, index: cardsIn(section.current).indexOf(card) };
    };
    document.addEventListener('focusin', onFocus);
    return () => document.removeEventListener('focusin', onFocus);
  }, [section]);
  useEffect(() => {
    const last = held.current;
    if (last === null || last.card.isConnected || document.activeElement !== document.body) return;
    held.current = null;
    const left = cardsIn(section.current);
    const next = left[Math.min(last.index, left.length - 1)] ?? section.current?.querySelector('h1');
    if (next instanceof HTMLElement) landOn(next);
  }, [section, cards]);
}

const cardsIn = (section: HTMLElement | null): Element[] => [...(section?.querySelectorAll('.ask') ?? [])];

/** The numbers of sessions in the other states. */
function Counts({ sessions }: { readonly sessions: readonly SessionInfo[] }) {
  const counts = new Map<SessionCondition, number>();
  for (const session of sessions) {
    const condition = conditionOf(session);
    counts.set(condition, (counts.get(condition) ?? 0) + 1);
  }
  return (
    <ul className="counts" aria-label="All sessions">
      {CONDITION_ORDER.filter((condition) => condition !== 'waits' && counts.has(condition)).map((condition) => (
        <li key={condition}>
          <span className="count">{counts.get(condition)}</span> <StateMark condition={condition} word />
        </li>
      ))}
    </ul>
  );
}

/** The requests that have just been answered, and by whom. */
function JustAnswered() {
  const latest = useAnswered((now) => now.latest);
  const now = useNow();
  return (
    <div className="just-answered" role="status">
      {latest.map(({ session, question, by, at }) => (
        <p key={session.id}>
          <a
            className="one-line name"
            dir="auto"
            href={addressOf({ page: 'session', id: session.id, view: 'terminal' })}
          >
            {displayName(session)}
          </a>
          <span className="one-line quiet question-text" dir="auto">
            {question}
          </span>
          <span>
            answered{by === null ? '' : ` by ${by}`} {shortDuration(now - at)} ago
          </span>
        </p>
      ))}
    </div>
  );
}
