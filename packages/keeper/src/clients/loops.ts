/**
 * Sessions that show each other. A viewer that runs in the terminal of one session and shows another one copies output from
 * there to here. In a circle it is copied without end: two sessions that were attached to each other wrote 300 KB a second,
 * for as long as anyone let them. Keeps ATT-13.
 */
import { SpoolError } from '@spool/protocol';
import type { LogWatcher } from './watcher.ts';

interface Shown {
  readonly watchers: Iterable<Pick<LogWatcher, 'inside'>>;
}

/** Throws if a terminal inside the one session cannot show the other, because that one shows this terminal already. */
export function refuseLoop(sessions: { get(id: string): Shown | undefined }, target: string, inside?: string): void {
  if (inside === undefined) return;
  const showing = new Set([inside]);
  for (const id of showing) {
    if (id === target) {
      const reason = id === inside ? 'this terminal is inside that session' : 'that session shows this terminal';
      throw new SpoolError('NOT_ALLOWED', { reason });
    }
    for (const watcher of sessions.get(id)?.watchers ?? [])
      if (watcher.inside !== undefined) showing.add(watcher.inside);
  }
}
