/**
 * A view of a session's folder: folders, text with line numbers, pictures. No content of it is executed. Keeps FILE-2 on the
 * page.
 */
import type { SessionInfo } from '@spool/client';
import type { FilePreview } from '@spool/protocol';
import { useEffect, useState } from 'react';
import { askGateway, sentenceOf } from '../link/ask-gateway.ts';
import { visible } from '@spool/protocol/visible-text';
import { FileIcon, FolderIcon } from '../shell/icons.tsx';
import { addressOf, type SessionRoute } from '../shell/route.ts';

const LINES_SHOWN_MAX = 5_000;

export function FilesView({ session, route }: { readonly session: SessionInfo; readonly route: SessionRoute }) {
  const { path = '', line } = route;
  const [shown, setShown] = useState<{ readonly path: string; readonly preview: FilePreview } | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    const asking = new AbortController();
    setTrouble(null);
    askGateway<FilePreview>(`sessions/${session.id}/files?path=${encodeURIComponent(path)}`, {
      signal: asking.signal,
    }).then(
      (preview) => setShown({ path, preview }),
      (error: unknown) => {
        if (!asking.signal.aborted) setTrouble(sentenceOf(error));
      },
    );
    return () => asking.abort();
  }, [session.id, path]);

  const names = path === '' ? [] : path.split('/');
  const address = (to: string): string => addressOf({ page: 'session', id: session.id, view: 'files', path: to });
  return (
    <div className="files-view">
      <nav className="crumbs mono" aria-label="Path">
        <a href={address('')}>{session.cwd.split('/').at(-1) || '/'}</a>
        {names.map((name, index) => (
          <span key={index}>
            {' / '}
            <a href={address(names.slice(0, index + 1).join('/'))} dir="auto">
              {name}
            </a>
          </span>
        ))}
      </nav>
      {trouble !== null && <p role="alert">{trouble}</p>}
      {trouble === null && shown !== null && shown.path === path && (
        <Shown
          preview={shown.preview}
          name={names.at(-1) ?? ''}
          line={line}
          addressIn={(name) => address([...names, name].join('/'))}
        />
      )}
    </div>
  );
}

function Shown(props: {
  readonly preview: FilePreview;
  readonly name: string;
  readonly line: number | undefined;
  readonly addressIn: (name: string) => string;
}) {
  const { preview } = props;
  switch (preview.type) {
    case 'folder':
      return (
        <ul className="entries">
          {preview.entries.map(({ name, type }) => (
            <li key={name} data-type={type}>
              {type === 'folder' || type === 'file' ? (
                <a href={props.addressIn(name)}>
                  {type === 'folder' ? <FolderIcon /> : <FileIcon />}
                  <span className="one-line mono" dir="auto">
                    {visible(name)}
                    {type === 'folder' ? '/' : ''}
                  </span>
                </a>
              ) : (
                <span className="one-line mono quiet" dir="auto">
                  {visible(name)} {type === 'link' ? '(a link, not followed)' : ''}
                </span>
              )}
            </li>
          ))}
          {preview.entries.length === 0 && <li className="quiet">Empty.</li>}
          {preview.isCut && <li className="quiet">More are not shown.</li>}
        </ul>
      );
    case 'text':
      return <TextFile text={preview.text} isCut={preview.isCut} line={props.line} />;
    case 'image':
      return <Picture preview={preview} name={props.name} />;
    default:
      return <p className="quiet">{preview.bytes} bytes that are neither text nor a picture.</p>;
  }
}

function TextFile({
  text,
  isCut,
  line,
}: {
  readonly text: string;
  readonly isCut: boolean;
  readonly line: number | undefined;
}) {
  const all = text.replace(/\n$/, '').split('\n');
  // In a long file, the lines around the requested one are shown.
  const from = Math.max(0, Math.min((line ?? 1) - LINES_SHOWN_MAX / 2, all.length - LINES_SHOWN_MAX));
  const lines = all.slice(from, from + LINES_SHOWN_MAX);
  return (
    <>
      <pre className="file-text" tabIndex={0} aria-label="Text">
        {lines.map((each, index) => {
          const number = from + index + 1;
          const isChosen = number === line;
          return (
            <div
              key={number}
              data-line={number}
              aria-current={isChosen ? 'location' : undefined}
              ref={isChosen ? (element) => element?.scrollIntoView({ block: 'center' }) : undefined}
            >
              {each === '' ? ' ' : each}
            </div>
          );
        })}
      </pre>
      {(isCut || lines.length < all.length) && <p className="quiet">This is a part of the file.</p>}
    </>
  );
}

function Picture({
  preview,
  name,
}: {
  readonly preview: Extract<FilePreview, { type: 'image' }>;
  readonly name: string;
}) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const bytes = Uint8Array.from(atob(preview.base64), (character) => character.charCodeAt(0));
    const made = URL.createObjectURL(new Blob([bytes], { type: preview.mime }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [preview]);
  return url === null ? null : <img className="picture" src={url} alt={name} />;
}
