/**
 * The user's marks in this browser: pinned and archived sessions, the offset up to which each was seen, and the grouping of the
 * wall. They stay in this browser, because another person's pins are not ours.
 */
import { create } from 'zustand';
import type { Arrangement } from './groups.ts';

const KEY = 'spool-marks';
/** The maximum of sessions with marks; the oldest marks are forgotten. */
const KEPT_MAX = 1000;

export interface Marks {
  readonly pinned: ReadonlySet<string>;
  readonly archived: ReadonlySet<string>;
  /** The offset up to which a session was seen, by id. */
  readonly seen: ReadonlyMap<string, number>;
  readonly arrangement: Arrangement;
}

interface StoredMarks {
  readonly pinned?: readonly string[];
  readonly archived?: readonly string[];
  readonly seen?: readonly (readonly [string, number])[];
  readonly arrangement?: Arrangement;
}

function load(): Marks {
  let stored: StoredMarks = {};
  try {
    stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as StoredMarks;
  } catch {
    // Another version wrote it: the marks are reset.
  }
  return {
    pinned: new Set(stored.pinned ?? []),
    archived: new Set(stored.archived ?? []),
    seen: new Map(stored.seen ?? []),
    arrangement: stored.arrangement ?? 'state',
  };
}

export const useMarks = create<Marks>(load);

function save(part: Partial<Marks>): void {
  useMarks.setState(part);
  const { pinned, archived, seen, arrangement } = useMarks.getState();
  const stored: StoredMarks = {
    pinned: [...pinned].slice(-KEPT_MAX),
    archived: [...archived].slice(-KEPT_MAX),
    seen: [...seen].slice(-KEPT_MAX),
    arrangement,
  };
  localStorage.setItem(KEY, JSON.stringify(stored));
}

export function togglePin(id: string): void {
  save({ pinned: toggled(useMarks.getState().pinned, id) });
}

export function toggleArchived(id: string): void {
  save({ archived: toggled(useMarks.getState().archived, id) });
}

export function arrange(arrangement: Arrangement): void {
  save({ arrangement });
}

export function markSeen(id: string, offset: number): void {
  const { seen } = useMarks.getState();
  if ((seen.get(id) ?? -1) >= offset) return;
  const next = new Map(seen);
  next.delete(id);
  save({ seen: next.set(id, offset) });
}

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}
