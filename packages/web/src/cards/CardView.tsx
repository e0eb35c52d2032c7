/** One card of the conversation, by the kind of its entry. It is rendered again only when its entry, or one inside it, has changed. Keeps CARD-41. */
import type { TranscriptEntry } from '@spool/render';
import { memo } from 'react';
import { type CardItem, entryOf } from './arrange.ts';
import { DiffView } from './DiffView.tsx';
import { AgentCard, DecisionCard, NoteCard, PlanCard, TurnEndCard } from './SmallCards.tsx';
import { MessageCard, PromptCard, ThinkingCard } from './TextCards.tsx';
import { ReadsCard, ToolCard } from './ToolCard.tsx';

export interface CardViewProps {
  readonly item: CardItem;
  /** A number that changes with every change of the item, because entries change in place. */
  readonly revision: number;
  /** Whether a later part of the conversation is shown below. */
  readonly isPast: boolean;
  /** The tools that wait for a permission, by their ids; joined, so that equal lists are equal. */
  readonly waiting: string;
  /** The files that the turn has changed, for the card of its end; joined, so that equal lists are equal. */
  readonly files: string;
  readonly onRetry: (() => void) | null;
}

export const CardView = memo(
  function CardView({ item, isPast, waiting, files, onRetry }: CardViewProps) {
    const renderItems = (items: readonly CardItem[]): React.ReactNode =>
      items.map((each) => (
        <CardView
          key={keyOf(each)}
          item={each}
          revision={each.revision}
          isPast={isPast}
          waiting={waiting}
          files=""
          onRetry={null}
        />
      ));
    if (item.type === 'reads') return <ReadsCard entries={item.entries} renderItems={renderItems} />;
    const { entry, children } = item;
    if (entry.kind === 'tool') {
      const isWaiting = waiting.split('\n').includes(entry.tool);
      return <ToolCard {...{ entry, isPast, isWaiting, renderItems }} children={children} />;
    }
    if (entry.kind === 'turn-end')
      return <TurnEndCard entry={entry} files={files === '' ? [] : files.split('\n')} onRetry={onRetry} />;
    return <PlainCard entry={entry} isPast={isPast} />;
  },
  (before, after) =>
    entryOf(before.item) === entryOf(after.item) &&
    before.item.type === after.item.type &&
    before.revision === after.revision &&
    before.isPast === after.isPast &&
    before.waiting === after.waiting &&
    before.files === after.files &&
    (before.onRetry === null) === (after.onRetry === null),
);

function PlainCard({ entry, isPast }: { readonly entry: TranscriptEntry; readonly isPast: boolean }) {
  switch (entry.kind) {
    case 'prompt':
      return <PromptCard entry={entry} />;
    case 'message':
      return <MessageCard entry={entry} />;
    case 'thinking':
      return <ThinkingCard entry={entry} isPast={isPast} />;
    case 'plan':
      return <PlanCard entry={entry} />;
    case 'note':
      return <NoteCard entry={entry} />;
    case 'agent':
      return <AgentCard entry={entry} />;
    case 'ask':
      return <DecisionCard entry={entry} />;
    case 'change':
      return (
        <article className="card" data-event-seq={entry.place.seq} aria-label="Change">
          <DiffView diff={entry.diff} phase={entry.phase} />
        </article>
      );
    default:
      return null; // tools and ends of turns are handled above
  }
}

/** The number of the first event of a card, and its kind: several entries may begin with one event. */
export function keyOf(item: CardItem): string {
  const { place, kind } = entryOf(item);
  return `${item.type} ${place.seq} ${kind}`;
}
