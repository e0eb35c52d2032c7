/** A session as plain text, line by line: for screen readers, for native selection, and for sessions without a terminal. Keeps PAGE-14. */
import type { SessionInfo } from '@spool/client';
import { useEffect, useRef, useState } from 'react';
import { client } from '../link/daemon.ts';
import { sentenceOf } from '../link/ask-gateway.ts';
import { conditionOf, CONDITION_WORDS } from '../state/condition.ts';

const LINES_MAX = 2_000;
const TAIL_BYTES = 256 * 1024;
const SHOW_EVERY_MS = 150;

export function TextView({ session }: { readonly session: SessionInfo }) {
  const { id } = session;
  const [lines, setLines] = useState<readonly string[]>([]);
  const [trouble, setTrouble] = useState<string | null>(null);
  const end = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let kept: string[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stopping = new AbortController();
    const add = (more: readonly string[]): void => {
      kept = [...kept, ...more].slice(-LINES_MAX);
      timer ??= setTimeout(() => {
        timer = undefined;
        setLines(kept);
      }, SHOW_EVERY_MS);
    };
    followText(id, stopping.signal, add).catch((error: unknown) => {
      if (!stopping.signal.aborted) setTrouble(sentenceOf(error));
    });
    return () => {
      stopping.abort();
      clearTimeout(timer);
    };
  }, [id]);

  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current) end.current?.scrollIntoView({ block: 'end' });
  }, [lines]);

  const { status } = session;
  return (
    <div
      className="text-view"
      onScroll={({ currentTarget: box }) => {
        isAtEnd.current = box.scrollTop + box.clientHeight >= box.scrollHeight - 40;
      }}
    >
      <p className="quiet" role="status">
        {session.name}: {CONDITION_WORDS[conditionOf(session)]}
        {status.question === undefined ? '' : `: ${status.question.text}`}
        {session.milestone === null ? '' : ` · ${session.milestone.title}`}
      </p>
      {trouble !== null && <p role="alert">{trouble}</p>}
      <div role="log" aria-label={`Output of ${session.name}`} tabIndex={0}>
        {lines.map((line, index) => (
          <p key={index} dir="auto">
            {line === '' ? '\u00a0' : line}
          </p>
        ))}
      </div>
      {lines.length === 0 && trouble === null && <p className="quiet">Nothing was printed yet.</p>}
      <div ref={end} />
    </div>
  );
}

async function followText(id: string, signal: AbortSignal, add: (lines: readonly string[]) => void): Promise<void> {
  const options = { from: { tailBytes: TAIL_BYTES }, ansi: 'text', chunking: 'line', signal } as const;
  for await (const item of client.watchText(id, options)) {
    if (item.type === 'text') add(item.data.replace(/\n$/, '').split('\n'));
  }
}
