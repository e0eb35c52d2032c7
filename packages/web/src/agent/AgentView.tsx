/**
 * An agent without a terminal: its messages and actions, its request, and a box for the next prompt. The same renderer creates
 * the lines of `spool logs` and `spool attach`. Keeps PAGE-15 and PAGE-57.
 */
import type { SessionInfo } from '@spool/client';
import { DocumentView, type TranscriptEntry } from '@spool/render';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { conditionOf, CONDITION_WORDS } from '../state/condition.ts';
import { AgentAsks } from './AgentAsks.tsx';
import { PromptBox } from './PromptBox.tsx';
import { ResumeBox } from './ResumeBox.tsx';
import { StyledLines } from './StyledLines.tsx';
import { useAgent } from './use-agent.ts';
import { useCells } from './use-cells.ts';

/** The number of entries that are shown: more would be slow to lay out; the button adds as many again. */
const ENTRIES_SHOWN = 300;
/** The distance from the end within which the view follows new entries. */
const NEAR_END_PX = 60;

export function AgentView({ session }: { readonly session: SessionInfo }) {
  const { agent, transcript, isLoaded, trouble } = useAgent(session);
  const [isFull, setFull] = useState(false);
  const [count, setCount] = useState(ENTRIES_SHOWN);
  const box = useRef<HTMLDivElement>(null);
  const width = useCells(box);
  const view = useMemo(() => new DocumentView({ width, isFull, hidesAsks: true }), [width, isFull]);
  const isAtEnd = useRef(true);
  const { revision, entries, pending } = transcript;
  useEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [revision, pending.length, width, isFull]);

  const first = Math.max(0, entries.length - count);
  const isEnded = session.state !== 'running';
  return (
    <div className="agent-view">
      <div className="agent-bar quiet">
        <p className="one-line" role="status">
          {CONDITION_WORDS[conditionOf(session)]}
          {session.status.activity === null ? '' : ` · ${session.status.activity}`}
          {transcript.model === undefined ? '' : ` · ${transcript.model}`}
        </p>
        <label>
          <input type="checkbox" checked={isFull} onChange={({ target }) => setFull(target.checked)} /> Show everything
        </label>
      </div>
      <div
        className="agent-log"
        ref={box}
        tabIndex={0}
        role="log"
        aria-label={`What ${session.name} said and did`}
        onScroll={({ currentTarget: log }) => {
          isAtEnd.current = log.scrollTop + log.clientHeight >= log.scrollHeight - NEAR_END_PX;
        }}
      >
        {first > 0 && (
          <button type="button" className="button" onClick={() => setCount(count + ENTRIES_SHOWN)}>
            Show earlier
          </button>
        )}
        {first === 0 && transcript.omitted > 0 && (
          <p className="quiet">
            {transcript.omitted} older entries are in the log: spool logs {session.name}
          </p>
        )}
        {entries.slice(first).map((entry, index) => (
          <EntryLines
            key={keyOf(entry)}
            view={view}
            entries={entries}
            at={first + index}
            revision={entry.revision}
            width={width}
          />
        ))}
        {entries.length === 0 && (
          <p className="quiet">{isLoaded ? 'Nothing was said yet.' : 'Reading what was said…'}</p>
        )}
      </div>
      {trouble !== null && (
        <p className="link-notice" role="alert">
          {trouble}
        </p>
      )}
      {isLoaded && isEnded && (
        <div className="agent-foot">
          <ResumeBox session={session} />
        </div>
      )}
      {isLoaded && !isEnded && (
        <div className="agent-foot">
          <AgentAsks {...{ agent, session }} />
          <PromptBox agent={agent} name={session.name} transcript={transcript} />
        </div>
      )}
    </div>
  );
}

interface EntryProps {
  readonly view: DocumentView;
  readonly entries: readonly TranscriptEntry[];
  readonly at: number;
  /** A number that changes with every change of an entry, because entries change in place. */
  readonly revision: number;
  readonly width: number;
}

const EntryLines = memo(function EntryLines({ view, entries, at, width }: EntryProps) {
  const lines = view.linesAt(entries, at);
  if (lines.length === 0) return null;
  return (
    <div className="agent-lines" data-kind={entries[at]!.kind}>
      <StyledLines lines={lines} width={width} />
    </div>
  );
});

const keys = new WeakMap<TranscriptEntry, number>();
let lastKey = 0;

function keyOf(entry: TranscriptEntry): number {
  let key = keys.get(entry);
  if (key === undefined) keys.set(entry, (key = ++lastKey));
  return key;
}
