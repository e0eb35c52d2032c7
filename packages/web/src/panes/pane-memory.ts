/** Keeps the arrangement of the panes per session, in this browser. */
import { isSessionView, type SessionViewName } from '../shell/route.ts';

const KEY = 'spool.panes';
/** The maximum of sessions; the oldest ones are dropped. */
const SESSIONS_MAX = 100;
/** The limits of the first pane's share, in percent, so that no pane disappears. */
const SHARE_MIN = 20;
const SHARE_MAX = 80;
const SHARE_FIRST = 55;

export interface PaneArrangement {
  /** The pane beside the main one; null if there is none. */
  readonly beside: SessionViewName | null;
  /** The share of the main pane, in percent. */
  readonly share: number;
}

type TextStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** `first`: the pane beside the main one, until the user chooses another. */
export function readPanes(
  id: string,
  first: SessionViewName | null,
  storage: TextStorage = localStorage,
): PaneArrangement {
  return read(storage).find(([each]) => each === id)?.[1] ?? { beside: first, share: SHARE_FIRST };
}

export function keepPanes(id: string, panes: PaneArrangement, storage: TextStorage = localStorage): void {
  const others = read(storage).filter(([each]) => each !== id);
  try {
    storage.setItem(KEY, JSON.stringify([...others, [id, panes]].slice(-SESSIONS_MAX)));
  } catch {
    // The storage is full or forbidden: the arrangement is lost when the view closes.
  }
}

export const limitShare = (share: number): number => Math.round(Math.min(SHARE_MAX, Math.max(SHARE_MIN, share)));

function read(storage: TextStorage): readonly (readonly [id: string, panes: PaneArrangement])[] {
  try {
    const value: unknown = JSON.parse(storage.getItem(KEY) ?? '[]');
    return Array.isArray(value) ? value.flatMap(entryOf) : [];
  } catch {
    return []; // another version wrote it, or storage is forbidden
  }
}

function entryOf(value: unknown): readonly (readonly [string, PaneArrangement])[] {
  if (!Array.isArray(value) || typeof value[0] !== 'string') return [];
  const { beside, share } = (value[1] ?? {}) as Readonly<Record<string, unknown>>;
  const isKnown = beside === null || isSessionView(beside);
  return isKnown && typeof share === 'number' ? [[value[0], { beside, share: limitShare(share) }]] : [];
}
