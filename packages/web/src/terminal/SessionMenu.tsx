/** The actions on a session as a whole. An action that ends, deletes or resizes explains itself before it runs. */
import type { SessionInfo } from '@spool/client';
import { type RefObject, useRef, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';
import { placeOf } from '../link/session-place.ts';
import { toggleArchived, togglePin, useMarks } from '../sessions/marks.ts';
import { displayName } from '../sessions/session-words.ts';
import { ConfirmDialog } from '../shell/ConfirmDialog.tsx';
import { MoreIcon } from '../shell/icons.tsx';
import { useClosing } from '../shell/menu.ts';
import { useOfferedActs } from '../shell/page-acts.ts';
import { go, type SessionViewName } from '../shell/route.ts';
import { ShareDialog } from '../share/ShareDialog.tsx';
import { downloadText } from '../time/exports.ts';
import { RenameField } from '../wall/RenameField.tsx';
import { LeftRunning } from './LeftRunning.tsx';
import type { PaneControls } from './TerminalPane.tsx';
import { ZOOM_PX_MAX, ZOOM_PX_MIN } from './zoom.ts';

interface Act {
  readonly label: string;
  /** Returns the text of the confirmation. */
  readonly consequence?: () => string;
  readonly isDanger?: boolean;
  readonly run: () => unknown;
}

export interface SessionMenuProps {
  readonly session: SessionInfo;
  readonly controls: RefObject<PaneControls | null>;
  readonly fontPx: number | null;
  readonly onFontPx: (px: number | null) => void;
  /** The views of this session, for the palette. */
  readonly views: readonly (readonly [view: SessionViewName, label: string, icon: unknown])[];
}

const FONT_PX_FIRST = 14;

export function SessionMenu({ session, controls, fontPx, onFontPx, views }: SessionMenuProps) {
  const { id } = session;
  const name = displayName(session);
  const menu = useRef<HTMLDetailsElement>(null);
  const [asked, setAsked] = useState<Act | null>(null);
  const [dialog, setDialog] = useState<'rename' | 'share' | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const isPinned = useMarks(({ pinned }) => pinned.has(id));
  const isArchived = useMarks(({ archived }) => archived.has(id));
  const zoom = (by: number): void =>
    onFontPx(Math.max(ZOOM_PX_MIN, Math.min(ZOOM_PX_MAX, (fontPx ?? FONT_PX_FIRST) + by)));
  const fitting = (): string => {
    const size = controls.current?.fitting();
    return size === undefined ? 'this window' : `${size.cols}×${size.rows}`;
  };
  const groups: readonly (readonly Act[])[] = [
    [
      { label: 'Larger type', run: () => zoom(2) },
      { label: 'Smaller type', run: () => zoom(-2) },
      { label: 'Fit the width', run: () => onFontPx(null) },
    ],
    [
      { label: 'Rename…', run: () => setDialog('rename') },
      { label: isPinned ? 'Unpin' : 'Pin', run: () => togglePin(id) },
      { label: isArchived ? 'Unarchive' : 'Archive', run: () => toggleArchived(id) },
    ],
    [
      // Links are for sessions of the gateway's machine; a node makes links for its own.
      ...(placeOf(id).node === null ? [{ label: 'Share…', run: () => setDialog('share') }] : []),
      { label: 'Save the output as text', run: () => downloadText(session) },
    ],
    session.state === 'running'
      ? [
          {
            label: 'Resize to this window…',
            consequence: () =>
              `Resizes ${name} to ${fitting()}, for everyone who looks at it. Its program is notified, and redraws its screen.`,
            run: () => {
              const size = controls.current?.fitting();
              if (size !== undefined) controls.current?.view.takeSize(size);
            },
          },
          {
            label: 'Stop…',
            isDanger: true,
            consequence: () =>
              `Asks ${name} to end (SIGTERM), and kills what is left of it after 5 seconds. What it has printed stays.`,
            run: () => client.stop(id),
          },
          {
            label: 'Kill…',
            isDanger: true,
            consequence: () =>
              `Kills ${name} and everything that it started, at once (SIGKILL). Unsaved work in it is lost. What it has printed stays.`,
            run: () => client.kill(id),
          },
        ]
      : [
          {
            label: 'Remove…',
            isDanger: true,
            consequence: () => `Deletes ${name} with everything it printed. This cannot be undone.`,
            run: async () => {
              await client.remove(id);
              go({ page: 'home' });
            },
          },
        ],
  ];
  const close = (): void => {
    if (menu.current !== null) menu.current.open = false;
  };
  useClosing(menu);
  const run = (act: Act): void => {
    setAsked(null);
    close();
    Promise.resolve()
      .then(act.run)
      .catch((error: unknown) => setTrouble(sentenceOf(error)));
  };
  const choose = (act: Act): void => {
    if (act.consequence === undefined) return run(act);
    close();
    setAsked(act);
  };
  useOfferedActs([
    ...views.map(([view, label]) => ({ label: `Show: ${label}`, run: () => go({ page: 'session', id, view }) })),
    ...groups.flat().map((act) => ({ label: act.label, run: () => choose(act) })),
  ]);
  return (
    <div className="acts">
      <details className="menu" ref={menu}>
        <summary className="icon-button" aria-label={`What can be done with ${name}`}>
          <MoreIcon />
        </summary>
        <div className="menu-list">
          {groups.map((acts, index) => (
            <div key={index} className="menu-group">
              {acts.map((act) => (
                <button
                  key={act.label}
                  type="button"
                  data-danger={act.isDanger || undefined}
                  onClick={() => choose(act)}
                >
                  {act.label}
                </button>
              ))}
            </div>
          ))}
        </div>
      </details>
      {asked !== null && (
        <ConfirmDialog
          title={`${plain(asked.label)}: ${name}`}
          consequence={asked.consequence?.() ?? ''}
          act={plain(asked.label)}
          isDanger={asked.isDanger === true}
          onAct={() => run(asked)}
          onClose={() => setAsked(null)}
        />
      )}
      {dialog === 'rename' && <RenameField session={session} onDone={() => setDialog(null)} />}
      {dialog === 'share' && <ShareDialog session={session} onClose={() => setDialog(null)} />}
      <LeftRunning session={session} />
      {trouble !== null && (
        <p className="link-notice" role="alert">
          {trouble}
        </p>
      )}
    </div>
  );
}

/** Returns the label without the mark for a confirmation. */
const plain = (label: string): string => label.replace('…', '');
