/**
 * A session as a tile: a link that opens it, with its keys (p, e, r) and buttons. Only changed parts are rendered again. Keeps
 * PAGE-36 and PAGE-75.
 */
import type { SessionInfo } from '@spool/client';
import { visible } from '@spool/protocol/visible-text';
import { memo, useState } from 'react';
import { markSeen, toggleArchived, togglePin, useMarks } from '../sessions/marks.ts';
import { commandOf, displayName } from '../sessions/session-words.ts';
import { Age } from '../shell/Age.tsx';
import { ArchiveIcon, PenIcon, PinIcon, PipeIcon } from '../shell/icons.tsx';
import { addressOf } from '../shell/route.ts';
import { WebLink } from '../shell/WebLink.tsx';
import { conditionOf } from '../state/condition.ts';
import { StateMark } from '../state/StateMark.tsx';
import { RenameField } from './RenameField.tsx';
import { useUnread } from './unread.ts';
import { usageWords } from './usage-words.ts';
import { SCREEN_OF, SPARK_OF } from './WallCanvas.tsx';

export const Tile = memo(function Tile({ session }: { readonly session: SessionInfo }) {
  const { id } = session;
  const name = displayName(session);
  const condition = conditionOf(session);
  const isPinned = useMarks(({ pinned }) => pinned.has(id));
  const isArchived = useMarks(({ archived }) => archived.has(id));
  const isUnread = useUnread(session);
  const [isRenaming, setRenaming] = useState(false);
  const since = session.endedAt ?? session.status.since;
  const url = session.state === 'running' ? session.milestone?.url : undefined;
  const onKey = (event: React.KeyboardEvent): void => {
    if (event.metaKey || event.ctrlKey || event.altKey || isRenaming) return;
    if (event.key === 'p') togglePin(id);
    else if (event.key === 'e') toggleArchived(id);
    else if (event.key === 'r') setRenaming(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <li className="tile-place" data-pinned={isPinned || undefined} onKeyDown={onKey}>
      <a
        className="tile"
        data-condition={condition}
        data-unread={isUnread || undefined}
        data-linked={url !== undefined || undefined}
        href={addressOf({ page: 'session', id, view: 'terminal' })}
        onClick={() => markSeen(id, session.offset)}
      >
        <span className="tile-head">
          <span className="one-line name" dir="auto">
            {name}
            {isUnread && <span className="sr-only"> (new output)</span>}
          </span>
          <StateMark condition={condition} word />
          <Age className="quiet age" since={since} />
        </span>
        {session.size === null ? <NoScreen session={session} /> : <span className="screen" {...{ [SCREEN_OF]: id }} />}
        <span className="tile-foot">
          <span className="one-line doing" dir="auto">
            {doing(session)}
          </span>
          {session.state === 'running' && <span className="spark" {...{ [SPARK_OF]: id }} />}
        </span>
        <Progress session={session} />
        <span className="quiet one-line mono command">
          {[commandOf(session), usageWords(session.status.usage)].filter(Boolean).join(' · ')}
        </span>
      </a>
      {url !== undefined && <WebLink url={url} className="tile-link" />}
      <span className="tile-acts">
        <button type="button" aria-pressed={isPinned} aria-label={`Pin ${name}`} onClick={() => togglePin(id)}>
          <PinIcon />
        </button>
        <button type="button" aria-label={`Rename ${name}`} onClick={() => setRenaming(true)}>
          <PenIcon />
        </button>
        <button
          type="button"
          aria-pressed={isArchived}
          aria-label={`Archive ${name}`}
          onClick={() => toggleArchived(id)}
        >
          <ArchiveIcon />
        </button>
      </span>
      {isRenaming && <RenameField session={session} onDone={() => setRenaming(false)} />}
    </li>
  );
});

/** The replacement for the picture: the agent's last words and present action, or a note that there is only text. */
function NoScreen({ session }: { readonly session: SessionInfo }) {
  const { driver, status } = session;
  if (driver === undefined)
    return (
      <span className="screen no-screen quiet">
        <PipeIcon />
        <span className="says">Text only</span>
      </span>
    );
  const does = session.state === 'running' ? (status.activity ?? status.thought) : null;
  return (
    <span className="screen no-screen agent-face">
      <span className="says" dir="auto">
        {status.said === undefined ? <span className="quiet">No messages yet</span> : visible(status.said)}
      </span>
      {does !== null && (
        <span className="does one-line mono" dir="auto">
          {visible(does)}
        </span>
      )}
    </span>
  );
}

/** Returns the progress, if the program itself reports it or a known tool has printed it. */
function percentOf({ milestone, status }: SessionInfo): number | null {
  return status.progress ?? milestone?.percent ?? null;
}

function Progress({ session }: { readonly session: SessionInfo }) {
  const percent = percentOf(session);
  if (session.state !== 'running' || percent === null) return null;
  return (
    <span className="progress">
      <progress max={100} value={percent} aria-label={session.milestone?.title ?? 'Progress'} /> {Math.round(percent)} %
    </span>
  );
}

function doing({ status, milestone, title, state, exitCode, signal }: SessionInfo): string {
  if (state !== 'running') {
    if (signal !== null) return `ended by ${signal}`;
    return exitCode === null ? 'ended' : `exit code ${exitCode}`;
  }
  return status.question?.text ?? status.activity ?? milestone?.title ?? title;
}
