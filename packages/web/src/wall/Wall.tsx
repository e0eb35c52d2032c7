/** Sessions as tiles. */
import type { SessionInfo } from '@spool/client';
import { ageText, useNow } from '../shell/ages.ts';
import { addressOf } from '../shell/route.ts';
import { conditionOf } from '../state/condition.ts';
import { StateMark } from '../state/StateMark.tsx';
import { SCREEN_OF } from './WallCanvas.tsx';

export function Wall({ title, sessions }: { readonly title: string; readonly sessions: readonly SessionInfo[] }) {
  if (sessions.length === 0) return null;
  return (
    <section className="wall" aria-label={title}>
      <h2>
        {title} <span className="count">{sessions.length}</span>
      </h2>
      <ul className="tiles">
        {sessions.map((session) => (
          <li key={session.id}>
            <Tile session={session} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Tile({ session }: { readonly session: SessionInfo }) {
  const now = useNow();
  const condition = conditionOf(session);
  const since = session.endedAt ?? session.status.since;
  return (
    <a
      className="tile"
      data-condition={condition}
      href={addressOf({ page: 'session', id: session.id, view: 'terminal' })}
    >
      <span className="tile-head">
        <span className="one-line name">{session.name}</span>
        <StateMark condition={condition} word />
        <span className="quiet age">{ageText(now - since)}</span>
      </span>
      {session.size !== null && <span className="screen" {...{ [SCREEN_OF]: session.id }} />}
      <span className="one-line doing">{doing(session)}</span>
      <span className="quiet one-line mono command">{session.command.join(' ')}</span>
    </a>
  );
}

function doing({ status, milestone, title, state, exitCode, signal }: SessionInfo): string {
  if (state !== 'running') {
    if (signal !== null) return `ended by ${signal}`;
    return exitCode === null ? 'ended' : `exit code ${exitCode}`;
  }
  return status.question?.text ?? status.activity ?? milestone?.title ?? title;
}
