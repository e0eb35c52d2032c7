/** A change of a file: its rows with line numbers, and the words that differ. */
import type { Diff } from '@spool/protocol/agent';
import { changedWords, changeRows, type ChangeRow, visible, visibleTitle, type WordRange } from '@spool/render';
import { memo, useMemo, useState } from 'react';

const PATH_CHARACTERS_MAX = 400;
/** The number of rows that are shown at first. */
const ROWS_SHOWN = 40;
const ROWS_MAX = 2_000;
const ROW_CHARACTERS_MAX = 4_000;

const CHANGE_WORDS = { add: 'New file', modify: 'Edited', delete: 'Deleted', move: 'Moved' } as const;

interface DiffProps {
  readonly diff: Diff;
  readonly phase?: string;
}

export const DiffView = memo(function DiffView({ diff, phase }: DiffProps) {
  const [isFull, setFull] = useState(false);
  const rows = useMemo(() => changeRows(diff).slice(0, ROWS_MAX), [diff]);
  const words = useMemo(() => changedWords(rows), [rows]);
  const shown = isFull ? rows : rows.slice(0, ROWS_SHOWN);
  const count = (mark: string): number => rows.filter((row) => row.mark === mark).length;
  return (
    <section className="change-view" aria-label={`Change of ${visibleTitle(diff.path, PATH_CHARACTERS_MAX)}`}>
      <p className="diff-head">
        <span className="mono" dir="auto">
          {visibleTitle(diff.path, PATH_CHARACTERS_MAX)}
          {diff.movedTo === undefined ? '' : ` → ${visibleTitle(diff.movedTo, PATH_CHARACTERS_MAX)}`}
        </span>
        <span className="quiet">
          {CHANGE_WORDS[diff.change]}
          {phase === undefined || phase === 'applied' ? '' : ` (${phase})`}
        </span>
        {count('+') > 0 && <span className="look-added">+{count('+')}</span>}
        {count('-') > 0 && <span className="look-removed">−{count('-')}</span>}
      </p>
      {rows.length > 0 && (
        <div className="diff-rows" tabIndex={0} role="group" aria-label="Changed lines">
          <table>
            <tbody>
              {shown.map((row, at) => (
                <Row key={at} row={row} words={words.get(at)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown.length < rows.length && (
        <button type="button" className="button plain" onClick={() => setFull(true)}>
          Show all {rows.length} lines
        </button>
      )}
    </section>
  );
});

interface RowProps {
  readonly row: ChangeRow;
  readonly words: readonly WordRange[] | undefined;
}

const Row = memo(function Row({ row: { mark, text, oldLine, newLine }, words }: RowProps) {
  return (
    <tr data-mark={mark}>
      <td className="diff-number">{newLine ?? oldLine ?? ''}</td>
      <td className="diff-mark">{mark === '@' ? '' : mark}</td>
      <td className="diff-text">
        {words === undefined
          ? shownText(text)
          : words.map(({ text: word, isChanged }, at) =>
              isChanged ? <mark key={at}>{shownText(word)}</mark> : <span key={at}>{shownText(word)}</span>,
            )}
      </td>
    </tr>
  );
});

function shownText(text: string): string {
  const cut = text.length > ROW_CHARACTERS_MAX ? `${text.slice(0, ROW_CHARACTERS_MAX)}…` : text;
  return visible(cut.replaceAll('\t', '    '));
}
