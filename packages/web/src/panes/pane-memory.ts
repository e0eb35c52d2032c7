/** Keeps the arrangement of the panes per session, in this browser. */

const KEY = 'spool.panes';
/** The number of sessions; the oldest ones are dropped. */
const SESSIONS_MAX = 100;
/** The limits of the first pane's share, in percent: no pane disappears. */
const SHARE_MIN = 20;
const SHARE_MAX = 80;

export type PaneChoice = 'terminal' | 'both' | 'cards';

export interface PaneArrangement {
  readonly choice: PaneChoice;
  /** The share of the first pane, in percent. */
  readonly share: number;
}

const CHOICES: readonly PaneChoice[] = ['terminal', 'both', 'cards'];
const FIRST: PaneArrangement = { choice: 'both', share: 55 };

type TextStorage = Pick<Storage, 'getItem' | 'setItem'>;

export function readPanes(id: string, storage: TextStorage = localStorage): PaneArrangement {
  return read(storage).find(([each]) => each === id)?.[1] ?? FIRST;
}

export function keepPanes(id: string, panes: PaneArrangement, storage: TextStorage = localStorage): void {
  const others = read(storage).filter(([each]) => each !== id);
  try {
    storage.setItem(KEY, JSON.stringify([...others, [id, panes]].slice(-SESSIONS_MAX)));
  } catch {
    // The storage is full or forbidden: the arrangement lives as long as the view.
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
  const { choice, share } = (value[1] ?? {}) as Readonly<Record<string, unknown>>;
  const known = CHOICES.find((each) => each === choice);
  return known === undefined || typeof share !== 'number'
    ? []
    : [[value[0], { choice: known, share: limitShare(share) }]];
}
