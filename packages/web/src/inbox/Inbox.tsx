/** Every session that waits for a person, with its question and its answers; the one that waits longest first. */
import type { SessionInfo } from '@spool/client';
import { AskCard } from './AskCard.tsx';

export function Inbox({ sessions }: { readonly sessions: readonly SessionInfo[] }) {
  return (
    <section className="inbox" aria-labelledby="inbox-title">
      <h2 id="inbox-title">
        {sessions.length === 0
          ? 'Nothing waits for you'
          : sessions.length === 1
            ? 'Waits for you'
            : `${sessions.length} wait for you`}
      </h2>
      <div className="ask-cards">
        {sessions.map((session) => (
          <AskCard key={`${session.id} ${session.status.since}`} session={session} />
        ))}
      </div>
    </section>
  );
}
