/**
 * Refuses viewers through which sessions would show each other. A viewer that runs in the terminal of session A and shows session B
 * copies output from B to A. In a circle this output is copied endlessly: two sessions that were attached to each other wrote 300
 * KB a second until they were stopped. Keeps ATT-13.
 */
import { SpoolError } from '@spool/protocol';
import type { Watcher } from './watcher.ts';

interface WatchedSession {
  readonly watchers: Iterable<Pick<Watcher, 'inside'>>;
}

/** Throws if a terminal inside one session cannot show the other session, because that session already shows this terminal. */
export function refuseLoop(
  sessions: { get(id: string): WatchedSession | undefined },
  target: string,
  inside?: string,
): void {
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
