/** The cards of one part of the conversation. */
import type { Transcript, TranscriptEntry } from '@spool/render';
import { memo } from 'react';
import { arrange, filesChanged } from './arrange.ts';
import { CardView, keyOf } from './CardView.tsx';

interface CardListProps {
  readonly transcript: Transcript;
  /** The transcript's own number: it changes in place. */
  readonly revision: number;
  readonly isPast: boolean;
  /** Whether minor notices are shown too. */
  readonly isFull: boolean;
  /** Sends a prompt again; null if the agent takes none. */
  readonly onRetry: ((prompt: string) => void) | null;
}

export const CardList = memo(function CardList({ transcript, isPast, isFull, onRetry }: CardListProps) {
  const { entries } = transcript;
  const items = arrange(entries, { isFull });
  const waiting = transcript.pending.flatMap(({ tool }) => (tool === undefined ? [] : [tool])).join('\n');
  return items.map((item) => {
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
  });
});

function promptBefore(entries: readonly TranscriptEntry[], end: number): string | null {
  for (let at = end - 1; at >= 0; at--) {
    const entry = entries[at]!;
    if (entry.kind === 'prompt') return entry.words;
  }
  return null;
}
