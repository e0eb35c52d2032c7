/** What can be done with a session as a whole. What ends, deletes or resizes says what it does before it does it. */
import type { SessionInfo } from '@spool/client';
import { type RefObject, useRef, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';
import { toggleArchived, togglePin, useMarks } from '../sessions/marks.ts';
import { MoreIcon } from '../shell/icons.tsx';
import { go } from '../shell/route.ts';
import { ShareDialog } from '../share/ShareDialog.tsx';
import { downloadText } from '../time/exports.ts';
import { RenameField } from '../wall/RenameField.tsx';
import type { PaneControls } from './TerminalPane.tsx';
import { FONT_PX_MIN, ZOOM_PX_MAX } from './zoom.ts';

interface Act {
  readonly label: string;
  /** Asked about before it is done. */
  readonly consequence?: () => string;
  readonly run: () => unknown;
}

export interface SessionMenuProps {
  readonly session: SessionInfo;
  readonly controls: RefObject<PaneControls | null>;
  readonly fontPx: number | null;
  readonly onFontPx: (px: number | null) => void;
}

const FONT_PX_FIRST = 14;

export function SessionMenu({ session, controls, fontPx, onFontPx }: SessionMenuProps) {
  const { id, name } = session;
  const menu = useRef<HTMLDetailsElement>(null);
  const [asked, setAsked] = useState<Act | null>(null);
  const [dialog, setDialog] = useState<'rename' | 'share' | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const isPinned = useMarks(({ pinned }) => pinned.has(id));
  const isArchived = useMarks(({ archived }) => archived.has(id));
  const zoom = (by: number): void =>
    onFontPx(Math.max(FONT_PX_MIN, Math.min(ZOOM_PX_MAX, (fontPx ?? FONT_PX_FIRST) + by)));
  const fitting = (): string => {
    const size = controls.current?.fitting();
    return size === undefined ? 'this window' : `${size.cols}×${size.rows}`;
  };
  const acts: readonly Act[] = [
    { label: 'Larger type', run: () => zoom(2) },
    { label: 'Smaller type', run: () => zoom(-2) },
    { label: 'Fit the width', run: () => onFontPx(null) },
    { label: isPinned ? 'Unpin' : 'Pin', run: () => togglePin(id) },
    { label: isArchived ? 'Take out of the archive' : 'Archive', run: () => toggleArchived(id) },
    { label: 'Rename', run: () => setDialog('rename') },
    { label: 'Share', run: () => setDialog('share') },
    { label: 'Save the output as text', run: () => downloadText(session) },
    ...(session.state === 'running'
      ? [
          {
            label: 'Take the size',
            consequence: () => `Resizes ${name} to ${fitting()}, for everyone who looks at it, and tells its program.`,
            run: () => {
              const size = controls.current?.fitting();
              if (size !== undefined) controls.current?.view.takeSize(size);
            },
          },
          {
            label: 'Stop',
            consequence: () => `Asks ${name} to end (SIGTERM), and kills what is left after 5 seconds.`,
            run: () => client.stop(id),
          },
          {
            label: 'Kill',
            consequence: () => `Kills ${name} and everything that it started, at once. Unsaved work in it is lost.`,
            run: () => client.kill(id),
          },
        ]
      : [
          {
            label: 'Remove',
            consequence: () => `Deletes ${name} with everything it printed. This cannot be undone.`,
            run: async () => {
              await client.remove(id);
              go({ page: 'home' });
            },
          },
        ]),
  ];
  const run = (act: Act): void => {
    setAsked(null);
    if (menu.current !== null) menu.current.open = false;
    Promise.resolve()
      .then(act.run)
      .catch((error: unknown) => setTrouble(sentenceOf(error)));
  };
  return (
    <div className="acts">
      <details className="menu" ref={menu}>
        <summary className="icon-button" aria-label={`What can be done with ${name}`}>
          <MoreIcon />
        </summary>
        <div className="menu-list">
          {acts.map((act) => (
            <button
              key={act.label}
              type="button"
              data-danger={(act.consequence !== undefined && act.label !== 'Take the size') || undefined}
              onClick={() => {
                if (act.consequence === undefined) return run(act);
                if (menu.current !== null) menu.current.open = false;
                setAsked(act);
              }}
            >
              {act.label}
            </button>
          ))}
        </div>
      </details>
      {asked !== null && (
        <div className="confirm" role="alertdialog" aria-label={asked.label}>
          <p>{asked.consequence?.()}</p>
          <button type="button" className="button danger" autoFocus onClick={() => run(asked)}>
            {asked.label}
          </button>
          <button type="button" className="button" onClick={() => setAsked(null)}>
            Keep it
          </button>
        </div>
      )}
      {dialog === 'rename' && <RenameField session={session} onDone={() => setDialog(null)} />}
      {dialog === 'share' && <ShareDialog session={session} onClose={() => setDialog(null)} />}
      {trouble !== null && (
        <p className="link-notice" role="alert">
          {trouble}
        </p>
      )}
    </div>
  );
}
