/** What has changed in the session's working tree, as git shows it. */
import type { SessionInfo } from '@spool/client';
import { useCallback, useEffect, useState } from 'react';
import { askGateway, sentenceOf } from '../link/ask-gateway.ts';
import { addressOf } from '../shell/route.ts';
import { filesOf } from './diff.ts';

type Changes =
  | { readonly isRepository: false }
  | {
      readonly isRepository: true;
      readonly branch: string;
      readonly diff: string;
      readonly isCut: boolean;
      readonly untracked: readonly string[];
    };

export function ChangesView({ session }: { readonly session: SessionInfo }) {
  const { id } = session;
  const [changes, setChanges] = useState<Changes | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const load = useCallback(() => {
    askGateway<Changes>(`sessions/${id}/changes`).then(setChanges, (error: unknown) => setTrouble(sentenceOf(error)));
  }, [id]);
  useEffect(load, [load]);
  if (trouble !== null) return <p role="alert">{trouble}</p>;
  if (changes === null) return <p className="loading quiet">Comparing…</p>;
  if (!changes.isRepository)
    return <p className="loading quiet">The folder of this session is not in a git repository.</p>;
  const files = filesOf(changes.diff);
  return (
    <div className="files-view changes">
      <p>
        <span className="mono">{changes.branch}</span>{' '}
        <span className="quiet">
          {files.length === 1 ? '1 changed file' : `${files.length} changed files`}
          {changes.isCut ? ' (a part of them)' : ''}
        </span>{' '}
        <button type="button" className="button" onClick={load}>
          Look again
        </button>
      </p>
      {changes.untracked.length > 0 && (
        <section aria-label="New files">
          <h2>New</h2>
          <ul className="entries">
            {changes.untracked.map((path) => (
              <li key={path}>
                <a className="one-line mono" dir="auto" href={addressOf({ page: 'session', id, view: 'files', path })}>
                  {path}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {files.map(({ path, lines }) => (
        <section key={path} aria-label={path}>
          <h2 className="mono" dir="auto">
            {path}
          </h2>
          <pre className="diff" tabIndex={0}>
            {lines.map(({ kind, text }, index) => (
              <div key={index} data-kind={kind}>
                {text === '' ? ' ' : text}
              </div>
            ))}
          </pre>
        </section>
      ))}
    </div>
  );
}
