/**
 * Tracks which sessions have printed output since the user last opened them. Output from before a session was first seen counts as
 * read, so that a new browser does not start with everything unread.
 */
import type { SessionInfo } from '@spool/client';
import { create } from 'zustand';
import { markSeen, useMarks } from '../sessions/marks.ts';

/** The sessions with unread output, from the latest offsets that the wall has received. */
const useNews = create<{ readonly ids: ReadonlySet<string> }>(() => ({ ids: new Set() }));

export function noteOffset(id: string, offset: number): void {
  const seen = useMarks.getState().seen.get(id);
  if (seen === undefined) return markSeen(id, offset);
  const { ids } = useNews.getState();
  if (offset <= seen || ids.has(id)) return;
  useNews.setState({ ids: new Set(ids).add(id) });
}

export function noteRead(id: string, offset: number): void {
  markSeen(id, offset);
  const { ids } = useNews.getState();
  if (!ids.has(id)) return;
  const next = new Set(ids);
  next.delete(id);
  useNews.setState({ ids: next });
}

export function useUnread({ id, offset }: SessionInfo): boolean {
  const isNews = useNews(({ ids }) => ids.has(id));
  const isBeyond = useMarks(({ seen }) => offset > (seen.get(id) ?? offset));
  return isNews || isBeyond;
}
