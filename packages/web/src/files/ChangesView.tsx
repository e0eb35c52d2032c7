/** The changes in the session's working tree, as git shows them. */
import type { SessionInfo } from '@spool/client';
import type { WorkingTree } from '@spool/protocol';
import { useCallback, useEffect, useState } from 'react';
import { askGateway, sentenceOf } from '../link/ask-gateway.ts';
import { addressOf } from '../shell/route.ts';
import { RepeatIcon } from '../shell/icons.tsx';
import { countsOf, type DiffFile, splitDiff } from './diff.ts';

export function ChangesView({ session }: { readonly session: SessionInfo }) {
  const { id } = session;
  const [changes, setChanges] = useState<WorkingTree | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const load = useCallback(() => {
    askGateway<WorkingTree>(`sessions/${id}/changes`).then(setChanges, (error: unknown) =>
      setTrouble(sentenceOf(error)),
    );
  }, [id]);
  useEffect(load, [load]);
  if (trouble !== null)
    return (
      <p className="loading" role="alert">
        {trouble}
      </p>
    );
  if (changes === null) return <p className="loading quiet">Comparing…</p>;
  if (!changes.isRepository)
    return <p className="loading quiet">The folder of this session is not in a git repository.</p>;
  const files = splitDiff(changes.diff);
  const all = [...files.map(({ path }) => path), ...changes.untracked];
  return (
    <div className="files-view changes">
      <header className="changes-head">
        <span className="branch mono" title="Branch">
          {changes.branch}
        </span>
        <span role="status">
          {all.length === 0
            ? 'Nothing has changed.'
            : all.length === 1
              ? '1 changed file'
              : `${all.length} changed files`}
          {changes.isCut ? ' (a part of them)' : ''}
        </span>
        <button type="button" className="button" onClick={load}>
          <RepeatIcon /> Refresh
        </button>
      </header>
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
      {files.map((file) => (
        <ChangedFile
          key={file.path}
          file={file}
          address={addressOf({ page: 'session', id, view: 'files', path: file.path })}
        />
      ))}
    </div>
  );
}

function ChangedFile({ file, address }: { readonly file: DiffFile; readonly address: string }) {
  const { added, removed } = countsOf(file);
  return (
    <details className="changed-file" open>
      <summary>
        <h2 className="mono one-line" dir="auto">
          {file.path}
        </h2>
        <span className="mono">
          <span className="plus">+{added}</span> <span className="minus">−{removed}</span>
        </span>
      </summary>
      <a className="open-file" href={address} aria-label={`Open the file ${file.path}`}>
        Open the file
      </a>
      <pre className="diff" tabIndex={0} aria-label={`Changes of ${file.path}`}>
        {file.lines.map(({ kind, text, before, after }, index) => (
          <div key={index} data-kind={kind}>
            <i aria-hidden="true">{before}</i>
            <i aria-hidden="true">{after}</i>
            <span>{text === '' ? ' ' : text}</span>
          </div>
        ))}
      </pre>
    </details>
  );
}
