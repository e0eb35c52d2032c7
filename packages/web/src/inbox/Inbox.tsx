/** Every session that waits for a person, with its question and its answers; the one that waits longest first. */
import type { SessionInfo } from '@spool/client';
import { shortDuration } from '@spool/protocol/duration';
import { displayName } from '../sessions/session-words.ts';
import { useNow } from '../shell/ages.ts';
import { addressOf } from '../shell/route.ts';
import { CONDITION_ORDER, type SessionCondition, conditionOf } from '../state/condition.ts';
import { StateMark } from '../state/StateMark.tsx';
import { AskCard } from './AskCard.tsx';
import { useAnswered } from './answered-requests.ts';

export function Inbox({ sessions }: { readonly sessions: readonly SessionInfo[] }) {
  const waiting = sessions.filter((session) => conditionOf(session) === 'waits');
  return (
    <section className="inbox" aria-labelledby="inbox-title">
      <header className="inbox-head">
        <h1 id="inbox-title">{titleOf(waiting.length)}</h1>
        <Counts sessions={sessions} />
      </header>
      {waiting.length > 0 && (
        <div className="ask-cards">
          {waiting.map((session) => (
            <AskCard key={`${session.id} ${session.status.since}`} session={session} />
          ))}
        </div>
      )}
      <JustAnswered />
    </section>
  );
}

function titleOf(count: number): string {
  if (count === 0) return 'Nothing waits for you';
  return count === 1 ? 'One session waits for you' : `${count} sessions wait for you`;
}

/** The numbers of the other sessions. */
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
