/**
 * The cards of one part of the conversation, in groups: the browser asks of each group, not of each card, whether it is in view.
 * Keeps CARD-40.
 */
import type { Transcript, TranscriptEntry } from '@spool/render';
import { memo } from 'react';
import { arrange, type CardItem, entryOf, filesChanged } from './arrange.ts';
import { CardView, keyOf } from './CardView.tsx';

/** The events of a group. A card stays in its group, because its events stay the same. */
const GROUP_EVENTS = 64;
/** The height of a card that was never laid out. */
const CARD_REM = 4;

interface CardListProps {
  readonly transcript: Transcript;
  /** The version of the transcript, which changes in place. */
  readonly revision: number;
  readonly isPast: boolean;
  /** Whether minor notices are shown too. */
  readonly isFull: boolean;
  /** Sends a prompt again; null if the agent accepts none. */
  readonly onRetry: ((prompt: string) => void) | null;
}

export const CardList = memo(function CardList({ transcript, isPast, isFull, onRetry }: CardListProps) {
  const { entries } = transcript;
  const items = arrange(entries, { isFull });
  const waiting = transcript.pending.flatMap(({ tool }) => (tool === undefined ? [] : [tool])).join('\n');
  const cardOf = (item: CardItem) => {
    const entry = item.type === 'entry' ? item.entry : null;
    const isEnd = entry?.kind === 'turn-end';
    const at = isEnd ? entries.lastIndexOf(entry) : -1;
    const prompt = isEnd && at === entries.length - 1 ? promptBefore(entries, at) : null;
    return (
      <CardView
        key={keyOf(item)}
        item={item}
        revision={item.revision}
        isPast={isPast}
        waiting={waiting}
        files={isEnd ? filesChanged(entries, at).join('\n') : ''}
        onRetry={prompt === null || onRetry === null || isPast ? null : () => onRetry(prompt)}
      />
    );
  };
  return groupsOf(items).map((group, at, groups) => (
    <div
      key={groupNumber(group[0]!)}
      className="cards"
      data-joined={(isTool(group[0]!) && at > 0 && isTool(groups[at - 1]!.at(-1)!)) || undefined}
      style={{ containIntrinsicBlockSize: `auto ${group.length * CARD_REM}rem` }}
    >
      {group.map(cardOf)}
    </div>
  ));
});

const groupNumber = (item: CardItem): number => Math.floor(entryOf(item).place.seq / GROUP_EVENTS);

const isTool = (item: CardItem): boolean => entryOf(item).kind === 'tool';

function groupsOf(items: readonly CardItem[]): readonly (readonly CardItem[])[] {
  const groups: CardItem[][] = [];
  let last = -1;
  for (const item of items) {
    const number = groupNumber(item);
    // A card that comes out of order stays where it is.
    if (number > last) groups.push([]);
    last = Math.max(last, number);
    groups.at(-1)!.push(item);
  }
  return groups;
}

function promptBefore(entries: readonly TranscriptEntry[], end: number): string | null {
  for (let at = end - 1; at >= 0; at--) {
    const entry = entries[at]!;
    if (entry.kind === 'prompt') return entry.words;
  }
  return null;
}
