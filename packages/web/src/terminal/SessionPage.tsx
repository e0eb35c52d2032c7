/** One session: its name and state, its panes and its actions. */
import { isAskedByAgent, isHeadless } from '@spool/protocol';
import { type SessionInfo, type Size, SpoolError, type Viewer } from '@spool/client';
import { useEffect, useMemo, useRef, useState } from 'react';
import { AgentView } from '../agent/AgentView.tsx';
import { ChangesView } from '../files/ChangesView.tsx';
import { FilesView } from '../files/FilesView.tsx';
import { AskCard } from '../inbox/AskCard.tsx';
import { client } from '../link/daemon.ts';
import { commandOf, folderOf, displayName } from '../sessions/session-words.ts';
import { useSettings } from '../settings/settings.ts';
import { put, useSessions } from '../sessions/store.ts';
import { MomentBar } from '../panes/MomentBar.tsx';
import { NoCards } from '../panes/NoCards.tsx';
import { paneOf, panesOf } from '../panes/pane-list.tsx';
import { SplitPanes, usePanes } from '../panes/SplitPanes.tsx';
import { BackIcon, SearchIcon } from '../shell/icons.tsx';
import { AfterGesture } from '../shell/AfterGesture.tsx';
import { addressOf, go, isSessionView, type SessionRoute, type SessionViewName } from '../shell/route.ts';
import { WebLink } from '../shell/WebLink.tsx';
import { conditionOf } from '../state/condition.ts';
import { StateMark } from '../state/StateMark.tsx';
import { SummaryView } from '../summary/SummaryView.tsx';
import { TextView } from '../text/TextView.tsx';
import { type Moment, MomentContext, type MomentState } from '../time/moment.ts';
import { TimeBar } from '../time/TimeBar.tsx';
import { TimeView } from '../time/TimeView.tsx';
import { WirePane } from '../wire/WirePane.tsx';
import { EndedBar } from './EndedBar.tsx';
import { FindPanel } from './FindPanel.tsx';
import { KeyBar } from './KeyBar.tsx';
import { SessionMenu } from './SessionMenu.tsx';
import type { ViewState } from './session-view.ts';
import { held, NOT_STICKY, type Sticky, used } from './sticky.ts';
import { useSwipe } from './swipe.ts';
import { type PaneControls, TerminalPane } from './TerminalPane.tsx';
import { UnknownSession } from './UnknownSession.tsx';

export function SessionPage({ route }: { readonly route: SessionRoute }) {
  const { id, view } = route;
  const session = useSessions((now) => now.byId.get(id));
  const panes = panesOf(session);
  const main = paneOf(session, route.event === undefined || session?.driver === undefined ? view : eventPane(session));
  const [isFinding, setFinding] = useState(false);
  const [fontPx, setFontPx] = useState<number | null>(() => useSettings.getState().fontPx);
  const [size, setSize] = useState<Size | null>(null);
  const [viewers, setViewers] = useState<readonly Viewer[]>([]);
  const controls = useRef<PaneControls | null>(null);
  const head = useRef<HTMLElement>(null);
  useSwipe(head, id);

  const split = usePanes(id, session?.driver !== undefined && session.size !== null ? 'cards' : null);
  const beside = besideOf(split.beside, main, panes, split.isWide);
  // A conversation has a separate search, because its output is the agent's protocol.
  const isConversation = session?.driver !== undefined && main === 'cards';
  const closeFind = (): void => setFinding(false);
  const isUnknown = useLookup(route, session);

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!event.ctrlKey || !event.shiftKey || event.code !== 'KeyF') return;
      event.preventDefault();
      event.stopPropagation();
      setFinding(true);
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, []);

  const moments = useMoments(route, session, [main, beside], (pane) => {
    if (split.isWide) split.arrange({ beside: pane });
    else go({ page: 'session', id, view: pane === 'terminal' ? 'time' : pane });
  });
  if (isUnknown) return <UnknownSession id={id} />;
  const content = (pane: SessionViewName, other: SessionViewName | null): React.ReactNode => {
    if (pane === 'terminal')
      return (
        <Live
          {...{ id, session, fontPx }}
          hasCardsBeside={other === 'cards'}
          isCovered={moments.moment !== null}
          onSize={setSize}
          onViewers={setViewers}
          onControls={(made) => (controls.current = made)}
        />
      );
    if (session === undefined) return null;
    return (
      <OtherPane {...{ session, route, pane, other }} onCloseFind={isFinding && pane === main ? closeFind : null} />
    );
  };
  const isHeadlessPast = view === 'time' && session !== undefined && isHeadless(session);
  return (
    <div className="session-page">
      <header className="session-head" ref={head}>
        <a className="icon-button back" href={addressOf({ page: 'home' })} aria-label="All sessions">
          <BackIcon />
        </a>
        <div className="who">
          <h1 className="one-line" dir="auto">
            {session === undefined ? id : displayName(session)}
          </h1>
          <p className="doing quiet">
            <StateMark condition={session === undefined ? 'starting' : conditionOf(session)} word />
            {session !== undefined && (
              <>
                <span className="one-line mono">{commandOf(session)}</span>
                <span className="one-line folder">in {folderOf(session.cwd)}</span>
              </>
            )}
          </p>
        </div>
        {session?.state === 'running' && session.milestone?.url !== undefined && (
          <WebLink url={session.milestone.url} className="web-link" />
        )}
        {viewers.length > 1 && <Others viewers={viewers} />}
        {size !== null && (
          <span className="quiet mono size">
            {size.cols}×{size.rows}
          </span>
        )}
        <nav className="views" aria-label="Views">
          {panes.map(([name, label, icon]) => (
            <a
              key={name}
              href={addressOf({ page: 'session', id, view: name })}
              aria-current={name === (isHeadlessPast ? 'time' : main) ? 'page' : undefined}
              aria-label={label}
            >
              {icon}
              <span>{label}</span>
            </a>
          ))}
        </nav>
        {split.isWide && session !== undefined && (
          <select
            className="beside"
            aria-label="Pane beside"
            value={beside ?? ''}
            onChange={({ target: { value } }) => split.arrange({ beside: isSessionView(value) ? value : null })}
          >
            <option value="">One pane</option>
            {panes.map(
              ([name, label]) =>
                name !== main && (
                  <option key={name} value={name}>
                    + {label}
                  </option>
                ),
            )}
          </select>
        )}
        <button
          type="button"
          className="icon-button"
          aria-label="Find in the output"
          aria-expanded={isFinding}
          onClick={() => setFinding(!isFinding)}
        >
          <SearchIcon />
        </button>
        {session !== undefined && (
          <SessionMenu session={session} controls={controls} fontPx={fontPx} onFontPx={setFontPx} views={panes} />
        )}
      </header>
      {isFinding && !isConversation && <FindPanel id={id} onClose={closeFind} />}
      <MomentContext value={moments}>
        {view !== 'time' && <MomentBar />}
        <SplitPanes
          share={split.share}
          onShare={(share) => split.arrange({ share })}
          main={content(main, beside)}
          beside={beside === null ? null : content(beside, main)}
        />
        {isHeadlessPast && <TimeBar session={session} shown={null} hasScreens={false} />}
      </MomentContext>
    </div>
  );
}

/** A link to a card opens the cards; they may be beside the terminal. */
const eventPane = (session: SessionInfo): SessionViewName =>
  session.size !== null && window.innerWidth >= 900 ? 'terminal' : 'cards';

/** Returns the pane beside the main one: never the same pane, and only one that the session has. */
function besideOf(
  wanted: SessionViewName | null,
  main: SessionViewName,
  panes: ReturnType<typeof panesOf>,
  isWide: boolean,
): SessionViewName | null {
  if (!isWide || wanted === null || wanted === main || !panes.some(([name]) => name === wanted)) return null;
  // The past is shown in the same terminal.
  return main === 'time' && wanted === 'terminal' ? null : wanted;
}

/** The moment that all panes share. The terminal alone, and another session, start with the present. */
function useMoments(
  { id, view }: SessionRoute,
  session: SessionInfo | undefined,
  shown: readonly (SessionViewName | null)[],
  open: (pane: SessionViewName) => void,
): MomentState {
  const [state, setState] = useState<{ readonly id: string; readonly moment: Moment | null }>({ id, moment: null });
  const moment = state.id === id ? state.moment : null;
  useEffect(() => {
    if (view === 'terminal') setState({ id, moment: null });
  }, [id, view]);
  const place = session !== undefined && isHeadless(session) ? 'wire' : 'terminal';
  const isFollowed =
    shown.includes(place) || (place === 'terminal' && shown.includes('time')) || shown.includes('wire');
  const latest = useRef(open);
  latest.current = open;
  return useMemo(() => {
    const setMoment = (next: Moment | null): void => setState({ id, moment: next });
    return {
      moment,
      isFollowed,
      setMoment,
      showMoment: (next) => {
        setMoment(next);
        if (!isFollowed) latest.current(place);
      },
    };
  }, [id, moment, isFollowed, place]);
}

/**
 * Fetches a session that is not in the list: a link may lead to an old session, or name a session. Returns whether there is no such
 * session. Other faults are shown by the pane.
 */
function useLookup(route: SessionRoute, session: SessionInfo | undefined): boolean {
  const [unknownId, setUnknownId] = useState<string | null>(null);
  const isMissing = session === undefined;
  useEffect(() => {
    if (!isMissing) return;
    client.get(route.id).then(
      (found) => {
        put(found);
        if (found.id !== route.id) location.replace(addressOf({ ...route, id: found.id }));
      },
      (error: unknown) => {
        if (SpoolError.is(error, 'SESSION_UNKNOWN')) setUnknownId(route.id);
      },
    );
  }, [route.id, isMissing]);
  return isMissing && unknownId === route.id;
}

interface OtherProps {
  readonly session: SessionInfo;
  readonly route: SessionRoute;
  readonly pane: SessionViewName;
  readonly other: SessionViewName | null;
  readonly onCloseFind: (() => void) | null;
}

function OtherPane({ session, route, pane, other, onCloseFind }: OtherProps) {
  switch (pane) {
    case 'cards':
      if (session.driver === undefined) return <NoCards session={session} />;
      return (
        <AgentView
          {...{ session, onCloseFind }}
          event={route.event}
          isBesideTerminal={other === 'terminal'}
          isPast={route.view === 'time'}
        />
      );
    case 'wire':
      return <WirePane session={session} />;
    case 'time':
      return <TimeView session={session} offset={route.offset ?? null} find={route.find ?? null} />;
    case 'files':
      return <FilesView session={session} route={route} />;
    case 'changes':
      return (
        <AfterGesture label="Show the changes">
          <ChangesView session={session} />
        </AfterGesture>
      );
    case 'summary':
      return (
        <AfterGesture label="Show the summary">
          <SummaryView session={session} />
        </AfterGesture>
      );
    default:
      return (
        <>
          {conditionOf(session) === 'waits' && <AskCard isHere session={session} />}
          {session.state !== 'running' && <EndedBar session={session} />}
          <TextView session={session} />
        </>
      );
  }
}

interface LiveProps {
  readonly id: string;
  readonly session: SessionInfo | undefined;
  /** Whether the cards are shown beside the terminal: then they show the agent's requests. */
  readonly hasCardsBeside: boolean;
  /** Whether a moment of the past is shown instead. */
  readonly isCovered: boolean;
  readonly fontPx: number | null;
  readonly onSize: (size: Size) => void;
  readonly onViewers: (viewers: readonly Viewer[]) => void;
  readonly onControls: (controls: PaneControls | null) => void;
}

function Live({ id, session, hasCardsBeside, isCovered, fontPx, onSize, onViewers, onControls }: LiveProps) {
  const [state, setState] = useState<ViewState>({ type: 'loading' });
  const [sticky, setSticky] = useState<Sticky>(NOT_STICKY);
  const latest = useRef(sticky);
  latest.current = sticky;
  const controls = useRef<PaneControls | null>(null);
  const isEnded = session !== undefined && session.state !== 'running';
  const isAsking = session !== undefined && conditionOf(session) === 'waits';
  // After an answer, the program gets the keys again.
  useEffect(() => {
    if (!isAsking && !isEnded && document.activeElement === document.body) controls.current?.focus();
  }, [isAsking, isEnded]);
  return (
    <div className="pane-stack">
      {isCovered && session !== undefined && <TimeView session={session} offset={null} find={null} />}
      <div className="pane-live" inert={isCovered}>
        {isEnded && <EndedBar session={session} />}
        {isAsking && !(hasCardsBeside && isAskedByAgent(session)) && <AskCard isHere session={session} />}
        {state.type === 'failed' && (
          <p className="link-notice" role="alert">
            {state.why}
          </p>
        )}
        <TerminalPane
          id={id}
          cwd={session?.cwd ?? ''}
          isEnded={isEnded}
          fontPx={fontPx}
          onState={setState}
          onSize={onSize}
          onViewers={onViewers}
          onControls={(made) => {
            controls.current = made;
            onControls(made);
            if (made === null) return;
            made.view.typed = (text) => {
              const typed = held(latest.current, text);
              if (latest.current !== NOT_STICKY) setSticky(used(latest.current));
              return typed;
            };
          }}
        />
        {!isEnded && (
          <KeyBar sticky={sticky} onSticky={setSticky} onKey={(name) => controls.current?.view.press(name)} />
        )}
      </div>
    </div>
  );
}

function Others({ viewers }: { readonly viewers: readonly Viewer[] }) {
  return (
    <details className="others">
      <summary>{viewers.length} viewers</summary>
      <ul>
        {viewers.map(({ who, size, isReadOnly }, index) => (
          <li key={index}>
            <span dir="auto">{who || 'somebody'}</span>{' '}
            <span className="quiet">
              {size === null ? '' : `${size.cols}×${size.rows} `}
              {isReadOnly ? 'viewing' : ''}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
