/**
 * Finds text in the whole output of a session. Each match opens at the moment at which it was on the screen. Keeps PAGE-10 and
 * PAGE-38.
 */
import type { SearchPage } from '@spool/protocol';
import { useEffect, useState } from 'react';
import { askGateway, sentenceOf } from '../link/ask-gateway.ts';
import { addressOf } from '../shell/route.ts';

type FoundLine = SearchPage['matches'][number];

const SHOWN_MAX = 200;
const TYPING_MS = 200;
/** The beginning of a line that is put in the address, to mark the line on its screen. */
const FIND_CHARACTERS_MAX = 80;

export function FindPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const [sought, setSought] = useState('');
  const [matches, setMatches] = useState<readonly FoundLine[]>([]);
  const [progress, setProgress] = useState<string>('');

  useEffect(() => {
    setMatches([]);
    setProgress('');
    if (sought === '') return;
    const asking = new AbortController();
    const timer = setTimeout(() => {
      search(id, sought, asking.signal, (found, isDone) => {
        setMatches(found);
        setProgress(summary(found.length, isDone));
      }).catch((error: unknown) => {
        if (!asking.signal.aborted) setProgress(sentenceOf(error));
      });
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [id, sought]);

  return (
    <section className="find" aria-label="Find in the output">
      <div className="find-head">
        <input
          autoFocus
          className="search"
          type="search"
          placeholder="Find in the whole output"
          aria-label="Find in the whole output"
          value={sought}
          onChange={(event) => setSought(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose();
          }}
        />
        <span className="quiet" role="status">
          {progress}
        </span>
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
      <ol>
        {matches.map((match) => (
          <li key={match.offset}>
            <a
              className="one-line mono"
              href={addressOf({
                page: 'session',
                id,
                view: 'time',
                offset: match.offset,
                find: match.text.trim().slice(0, FIND_CHARACTERS_MAX),
              })}
            >
              {match.text.trim()}
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}

function summary(count: number, isDone: boolean): string {
  if (!isDone) return `${count} so far…`;
  if (count >= SHOWN_MAX) return `the latest ${count}`;
  return count === 0 ? 'nothing found' : count === 1 ? '1 line' : `${count} lines`;
}

async function search(
  id: string,
  text: string,
  signal: AbortSignal,
  onFound: (matches: readonly FoundLine[], isDone: boolean) => void,
): Promise<void> {
  let all: readonly FoundLine[] = [];
  for (let before: number | null | undefined; before !== null;) {
    const from: string = before === undefined ? '' : `&before=${before}`;
    const query = `text=${encodeURIComponent(text)}&limit=${SHOWN_MAX - all.length}${from}`;
    const found: SearchPage = await askGateway<SearchPage>(`sessions/${id}/search?${query}`, { signal });
    all = [...all, ...found.matches];
    before = all.length >= SHOWN_MAX ? null : found.next;
    onFound(all, before === null);
  }
}
