/**
 * The card of a tool: its verb, subject, state and duration, and a body by its kind. It is open while the tool runs and if it
 * failed, and folds when it has ended. Keeps CARD-2.
 */
import { longDuration } from '@spool/protocol/duration';
import { visibleTitle } from '@spool/render';
import { useNow } from '../shell/ages.ts';
import type { CardItem, ToolCardEntry } from './arrange.ts';
import { Fold } from './Fold.tsx';
import { ToolBody } from './ToolBody.tsx';
import { STATE_WORDS, type ToolState, toolState, toolWords } from './tool-words.ts';

const NOTE_CHARACTERS_MAX = 200;
/** The duration below which it is not shown. */
const SHORT_MS = 1_000;

interface ToolCardProps {
  readonly entry: ToolCardEntry;
  readonly children: readonly CardItem[];
  readonly isPast: boolean;
  /** Whether it waits for a permission. */
  readonly isWaiting: boolean;
  readonly renderItems: (items: readonly CardItem[]) => React.ReactNode;
}

export function ToolCard({ entry, children, isPast, isWaiting, renderItems }: ToolCardProps) {
  const state = toolState(entry, isPast, isWaiting);
  return (
    <article className="card tool-card" data-event-seq={entry.place.seq} data-state={state}>
      <Fold
        className="tool-fold"
        isOpen={state === 'running' || state === 'failed'}
        head={<ToolHead entry={entry} state={state} />}
      >
        {() => (
          <>
            <ToolBody entry={entry} />
            {children.length > 0 && <div className="nested">{renderItems(children)}</div>}
          </>
        )}
      </Fold>
    </article>
  );
}

function ToolHead({ entry, state }: { readonly entry: ToolCardEntry; readonly state: ToolState }) {
  const { verb, subject } = toolWords(entry);
  const { permission, note, endedAt, place, exitCode } = entry;
  return (
    <>
      <span className="tool-sign" aria-hidden="true" />
      <span className="tool-name one-line" dir="auto">
        {verb !== '' && <b>{verb}</b>} <span className={subject === '' ? undefined : 'mono'}>{subject}</span>
      </span>
      <span className="tool-facts">
        {state === 'running' && note !== undefined && (
          <span className="one-line">{visibleTitle(note, NOTE_CHARACTERS_MAX)}</span>
        )}
        {permission?.decision === 'allow' && <span className="tool-allowed">allowed</span>}
        {exitCode !== undefined && exitCode !== 0 && <span>exit {exitCode}</span>}
        <span className={state === 'ok' ? 'sr-only' : undefined}>{STATE_WORDS[state]}</span>
        {state === 'running' ? (
          <Running since={place.at} />
        ) : (
          endedAt !== undefined && endedAt - place.at >= SHORT_MS && <span>{longDuration(endedAt - place.at)}</span>
        )}
      </span>
    </>
  );
}

function Running({ since }: { readonly since: number }) {
  const elapsed = useNow() - since;
  return elapsed < SHORT_MS ? null : <span>{longDuration(elapsed)}</span>;
}

/** Four or more reads in a row, as one card. */
export function ReadsCard({
  entries,
  renderItems,
}: {
  readonly entries: readonly ToolCardEntry[];
  readonly renderItems: ToolCardProps['renderItems'];
}) {
  const files = entries.filter(({ toolKind }) => toolKind === 'read').length;
  const searches = entries.length - files;
  return (
    <article className="card tool-card" data-event-seq={entries[0]!.place.seq} data-state="ok">
      <Fold
        className="tool-fold"
        isOpen={false}
        head={
          <>
            <span className="tool-sign" aria-hidden="true" />
            <span className="tool-name one-line">
              <b>Explored</b>{' '}
              {[counted(files, 'file', 'files'), counted(searches, 'search', 'searches')].filter(Boolean).join(', ')}
            </span>
          </>
        }
      >
        {() => (
          <div className="nested">
            {renderItems(
              entries.map((entry) => ({ type: 'entry' as const, entry, children: [], revision: entry.revision })),
            )}
          </div>
        )}
      </Fold>
    </article>
  );
}

const counted = (count: number, one: string, many: string): string =>
  count === 0 ? '' : `${count} ${count === 1 ? one : many}`;
