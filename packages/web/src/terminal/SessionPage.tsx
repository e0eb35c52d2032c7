/** One session: who it is and what it does, its terminal, and what can be done with it. */
import type { Size } from '@spool/client';
import { useEffect, useRef, useState } from 'react';
import { AskCard } from '../inbox/AskCard.tsx';
import { client } from '../link/daemon.ts';
import { put, useSessions } from '../sessions/store.ts';
import { BackIcon, ClockIcon, TerminalIcon } from '../shell/icons.tsx';
import { addressOf, type Route } from '../shell/route.ts';
import { conditionOf } from '../state/condition.ts';
import { StateMark } from '../state/StateMark.tsx';
import { TimeView } from '../time/TimeView.tsx';
import { KeyBar } from './KeyBar.tsx';
import type { SessionView, ViewState } from './session-view.ts';
import { SessionActs } from './SessionActs.tsx';
import { TerminalPane } from './TerminalPane.tsx';

export function SessionPage({ route }: { readonly route: Extract<Route, { page: 'session' }> }) {
  const { id, view: shownView } = route;
  const session = useSessions((now) => now.byId.get(id));
  const [state, setState] = useState<ViewState>({ type: 'loading' });
  const [size, setSize] = useState<Size | null>(null);
  const [viewers, setViewers] = useState(1);
  const view = useRef<SessionView | null>(null);

  // A link to a session that has left the list (an old one): it is still there.
  useEffect(() => {
    if (session === undefined) client.get(id).then(put, () => {}); // the pane says what is wrong
  }, [id, session]);

  const current = (view: string): 'page' | undefined => (view === shownView ? 'page' : undefined);
  const condition = session === undefined ? 'starting' : conditionOf(session);
  return (
    <div className="session-page">
      <header className="session-head">
        <a className="icon-button back" href={addressOf({ page: 'home' })} aria-label="All sessions">
          <BackIcon />
        </a>
        <div className="who">
          <h1 className="one-line">{session?.name ?? id}</h1>
          <p className="quiet one-line mono">{session?.command.join(' ')}</p>
        </div>
        <StateMark condition={condition} word />
        {viewers > 1 && <span className="quiet">{viewers} viewers</span>}
        {size !== null && (
          <span className="quiet mono size">
            {size.cols}×{size.rows}
          </span>
        )}
        <nav className="views" aria-label="Views">
          <a href={addressOf({ page: 'session', id, view: 'terminal' })} aria-current={current('terminal')}>
            <TerminalIcon />
            <span>Now</span>
          </a>
          <a href={addressOf({ page: 'session', id, view: 'time' })} aria-current={current('time')}>
            <ClockIcon />
            <span>Past</span>
          </a>
        </nav>
        {session !== undefined && <SessionActs session={session} />}
      </header>
      {shownView === 'time' ? (
        session !== undefined && <TimeView session={session} offset={route.offset ?? null} />
      ) : (
        <>
          {session !== undefined && condition === 'waits' && <AskCard session={session} />}
          {state.type === 'failed' && (
            <p className="link-notice" role="alert">
              {state.why}
            </p>
          )}
          <TerminalPane
            id={id}
            onState={setState}
            onSize={setSize}
            onViewers={setViewers}
            onView={(next) => (view.current = next)}
          />
          <KeyBar onType={(text) => view.current?.type(text)} />
        </>
      )}
    </div>
  );
}
