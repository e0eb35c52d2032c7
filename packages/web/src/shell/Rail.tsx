/** All sessions at a glance, the waiting ones first. Each is a link, so it opens in a new tab too. */
import type { SessionInfo } from '@spool/client';
import { memo, useMemo, useState } from 'react';
import { inOrder, matches } from '../sessions/order.ts';
import { displayName } from '../sessions/session-words.ts';
import { useSessions } from '../sessions/store.ts';
import { conditionOf } from '../state/condition.ts';
import { StateMark } from '../state/StateMark.tsx';
import { PushButton } from '../push/PushButton.tsx';
import { Age } from './Age.tsx';
import { Brand, GearIcon, MoonIcon, PlusIcon, SunIcon } from './icons.tsx';
import { addressOf, type PageRoute } from './route.ts';
import { toggleTheme, useTheme } from './theme.ts';

/** The maximum of ended sessions: more would push the running ones out of sight; the search finds them. */
const ENDED_SHOWN = 12;

export function Rail({ route }: { readonly route: PageRoute }) {
  const byId = useSessions((now) => now.byId);
  const theme = useTheme((now) => now.theme);
  const [search, setSearch] = useState('');
  const shown = useMemo(() => inOrder(byId.values()).filter((session) => matches(session, search)), [byId, search]);
  const waiting = shown.filter((session) => conditionOf(session) === 'waits');
  const running = shown.filter((session) => session.state === 'running' && conditionOf(session) !== 'waits');
  const ended = shown.filter(({ state }) => state !== 'running').slice(0, search === '' ? ENDED_SHOWN : undefined);
  return (
    <nav className="rail" aria-label="Sessions">
      <header className="rail-head">
        <a className="brand" href={addressOf({ page: 'home' })}>
          <Brand />
          <span>Spool</span>
        </a>
        <PushButton />
        <button
          type="button"
          className="icon-button"
          onClick={toggleTheme}
          aria-label={theme === 'dark' ? 'Use the light theme' : 'Use the dark theme'}
        >
          {theme === 'dark' ? <SunIcon /> : <MoonIcon />}
        </button>
        <a className="icon-button" href={addressOf({ page: 'settings' })} aria-label="Settings">
          <GearIcon />
        </a>
        <a className="icon-button" href={addressOf({ page: 'start', what: 'command' })} aria-label="Start a session">
          <PlusIcon />
        </a>
      </header>
      <input
        className="search"
        type="search"
        placeholder="Find a session"
        aria-label="Find a session"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <div className="rail-lists">
        {/* On the front page the waiting sessions are in the inbox, beside this list. */}
        {(route.page !== 'home' || search !== '') && <SessionLinks title="Waiting" sessions={waiting} route={route} />}
        <SessionLinks title="Running" sessions={running} route={route} />
        <SessionLinks title="Ended" sessions={ended} route={route} />
        {shown.length === 0 && search !== '' && <p className="quiet rail-none">No session matches “{search}”.</p>}
      </div>
    </nav>
  );
}

function SessionLinks(props: {
  readonly title: string;
  readonly sessions: readonly SessionInfo[];
  readonly route: PageRoute;
}) {
  if (props.sessions.length === 0) return null;
  return (
    <section aria-label={`${props.title}, as links`}>
      <h2>
        {props.title} <span className="count">{props.sessions.length}</span>
      </h2>
      <ul>
        {props.sessions.map((session) => (
          <li key={session.id}>
            <SessionLink
              session={session}
              isCurrent={props.route.page === 'session' && props.route.id === session.id}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

const SessionLink = memo(function SessionLink({
  session,
  isCurrent,
}: {
  readonly session: SessionInfo;
  readonly isCurrent: boolean;
}) {
  const since = session.endedAt ?? session.status.since;
  return (
    <a
      className="session-link"
      href={addressOf({ page: 'session', id: session.id, view: 'terminal' })}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <StateMark condition={conditionOf(session)} />
      <span className="one-line" dir="auto">
        {displayName(session)}
      </span>
      <Age className="quiet age" since={since} />
    </a>
  );
});
