/** One session: its name and state, its terminal, its past, text, files and changes, and its actions. */
import { isAskedByAgent, isHeadless } from '@spool/protocol';
import { type SessionInfo, type Size, SpoolError, type Viewer } from '@spool/client';
import { useEffect, useRef, useState } from 'react';
import { AgentView } from '../agent/AgentView.tsx';
import { ChangesView } from '../files/ChangesView.tsx';
import { FilesView } from '../files/FilesView.tsx';
import { AskCard } from '../inbox/AskCard.tsx';
import { client } from '../link/daemon.ts';
import { commandOf, folderOf, displayName } from '../sessions/session-words.ts';
import { useSettings } from '../settings/settings.ts';
import { put, useSessions } from '../sessions/store.ts';
import {
  BackIcon,
  ClockIcon,
  DiffIcon,
  FolderIcon,
  SearchIcon,
  SummaryIcon,
  TerminalIcon,
  TextIcon,
} from '../shell/icons.tsx';
import { AfterGesture } from '../shell/AfterGesture.tsx';
import { SplitPanes } from '../panes/SplitPanes.tsx';
import { addressOf, type SessionRoute, type SessionViewName } from '../shell/route.ts';
import { WebLink } from '../shell/WebLink.tsx';
import { conditionOf } from '../state/condition.ts';
import { StateMark } from '../state/StateMark.tsx';
import { SummaryView } from '../summary/SummaryView.tsx';
import { TextView } from '../text/TextView.tsx';
import { TimeView } from '../time/TimeView.tsx';
import { EndedBar } from './EndedBar.tsx';
import { FindPanel } from './FindPanel.tsx';
import { KeyBar } from './KeyBar.tsx';
import { SessionMenu } from './SessionMenu.tsx';
import type { ViewState } from './session-view.ts';
import { held, NOT_STICKY, type Sticky, used } from './sticky.ts';
import { useSwipe } from './swipe.ts';
import { type PaneControls, TerminalPane } from './TerminalPane.tsx';
import { UnknownSession } from './UnknownSession.tsx';

const VIEWS: readonly (readonly [view: SessionViewName, label: string, icon: React.ReactNode])[] = [
  ['terminal', 'Now', <TerminalIcon key="now" />],
  ['time', 'Past', <ClockIcon key="past" />],
  ['text', 'Text', <TextIcon key="text" />],
  ['files', 'Files', <FolderIcon key="files" />],
  ['changes', 'Changes', <DiffIcon key="changes" />],
  ['summary', 'Summary', <SummaryIcon key="summary" />],
];

/** Returns the views. An agent without a terminal has one view of its messages, and no screens of the past. */
const viewsOf = (session: SessionInfo | undefined): typeof VIEWS =>
  session === undefined || !isHeadless(session) ? VIEWS : VIEWS.filter(([view]) => view !== 'time' && view !== 'text');

export function SessionPage({ route }: { readonly route: SessionRoute }) {
  const { id, view } = route;
  const session = useSessions((now) => now.byId.get(id));
  const shown = session !== undefined && isHeadless(session) && view === 'text' ? 'terminal' : view;
  const [isFinding, setFinding] = useState(false);
  const [fontPx, setFontPx] = useState<number | null>(() => useSettings.getState().fontPx);
  const [size, setSize] = useState<Size | null>(null);
  const [viewers, setViewers] = useState<readonly Viewer[]>([]);
  const controls = useRef<PaneControls | null>(null);
  const head = useRef<HTMLElement>(null);
  useSwipe(head, id);

  // A conversation has its own search: its output is the agent's protocol.
  const isConversation = session?.driver !== undefined && session.size === null && shown === 'terminal';
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

  if (isUnknown) return <UnknownSession id={id} />;
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
          {viewsOf(session).map(([name, label, icon]) => (
            <a
              key={name}
              href={addressOf({ page: 'session', id, view: name })}
              aria-current={name === shown ? 'page' : undefined}
              aria-label={label}
            >
              {icon}
              <span>{label}</span>
            </a>
          ))}
        </nav>
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
          <SessionMenu
            session={session}
            controls={controls}
            fontPx={fontPx}
            onFontPx={setFontPx}
            views={viewsOf(session)}
          />
        )}
      </header>
      {isFinding && !isConversation && <FindPanel id={id} onClose={closeFind} />}
      {view === 'terminal' && (session === undefined || session.size !== null) ? (
        <WithCards session={session} event={route.event}>
          {(hasCardsBeside) => (
            <Live
              id={id}
              session={session}
              hasCardsBeside={hasCardsBeside}
              fontPx={fontPx}
              onSize={setSize}
              onViewers={setViewers}
              onControls={(made) => (controls.current = made)}
            />
          )}
        </WithCards>
      ) : (
        session !== undefined && <Other {...{ session, route }} onCloseFind={isFinding ? closeFind : null} />
      )}
    </div>
  );
}

/**
 * Fetches a session that is not in the list: a link may lead to an old one, or name one. Returns whether there is none. Other
 * faults are shown by the pane.
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
  readonly onCloseFind: (() => void) | null;
}

function Other({ session, route, onCloseFind }: OtherProps) {
  switch (route.view) {
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
      if (isHeadless(session)) return <AgentView {...{ session, onCloseFind }} event={route.event} />;
      return (
        <>
          {conditionOf(session) === 'waits' && <AskCard isHere session={session} />}
          {session.state !== 'running' && <EndedBar session={session} />}
          <TextView session={session} />
        </>
      );
  }
}

interface WithCardsProps {
  readonly session: SessionInfo | undefined;
  readonly event: number | undefined;
  readonly children: (hasCardsBeside: boolean) => React.ReactNode;
}

/** An agent in its terminal that also has events gets both views. */
function WithCards({ session, event, children }: WithCardsProps) {
  if (session?.driver === undefined) return children(false);
  return (
    <SplitPanes
      id={session.id}
      wanted={event === undefined ? null : 'cards'}
      terminal={children}
      cards={(isAlone) => <AgentView session={session} event={event} isBesideTerminal={!isAlone} />}
    />
  );
}

interface LiveProps {
  readonly id: string;
  readonly session: SessionInfo | undefined;
  /** Whether the cards are shown beside the terminal: they show the agent's requests then. */
  readonly hasCardsBeside: boolean;
  readonly fontPx: number | null;
  readonly onSize: (size: Size) => void;
  readonly onViewers: (viewers: readonly Viewer[]) => void;
  readonly onControls: (controls: PaneControls | null) => void;
}

function Live({ id, session, hasCardsBeside, fontPx, onSize, onViewers, onControls }: LiveProps) {
  const [state, setState] = useState<ViewState>({ type: 'loading' });
  const [sticky, setSticky] = useState<Sticky>(NOT_STICKY);
  const latest = useRef(sticky);
  latest.current = sticky;
  const controls = useRef<PaneControls | null>(null);
  const isEnded = session !== undefined && session.state !== 'running';
  const isAsking = session !== undefined && conditionOf(session) === 'waits';
  // After an answer the keys go to the program again.
  useEffect(() => {
    if (!isAsking && !isEnded && document.activeElement === document.body) controls.current?.focus();
  }, [isAsking, isEnded]);
  return (
    <>
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
      {!isEnded && <KeyBar sticky={sticky} onSticky={setSticky} onKey={(name) => controls.current?.view.press(name)} />}
    </>
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
