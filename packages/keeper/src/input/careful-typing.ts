/**
 * Types only after looking at the screen: the look includes everything that the child has written, and nothing happens
 * between that look and the input. Keeps IN-7.
 *
 * A program that repaints all the time leaves gaps between its frames (a spinner: 100 ms), and a look takes a few
 * milliseconds, so one of the looks is up to date. If none is in time, nothing is typed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SpoolError } from '@spool/protocol';
import type { Look } from '../screens/messages.ts';
import type { Session } from '../session/session.ts';

/** An up-to-date look must come within this time, or nothing is typed. */
export const LOOK_MS_MAX = 3000;
/** Between two looks at a screen that is about to change by itself. */
const LOOK_AGAIN_MS = 25;

/** Refuses by throwing; returns `again` when it cannot decide yet. */
export type Judge = (look: Look) => 'type' | 'again';

export async function typeWhenSeen<T>(session: Session, judge: Judge, type: (look: Look) => T): Promise<T> {
  const deadline = performance.now() + LOOK_MS_MAX;
  for (;;) {
    const look = await lookBefore(session, deadline);
    let why = typeof look === 'string' ? look : 'its screen keeps changing';
    const verdict = typeof look === 'string' ? 'again' : judge(look);
    if (typeof look !== 'string' && verdict === 'type' && look.isExact) {
      // From here to the write nothing else runs.
      if (session.isSeenTo(look.offset)) return type(look);
      why = session.trouble ?? 'it prints without a pause or does not read its input';
    }
    if (!session.isRunning) throw new SpoolError('SESSION_EXITED', { session: session.name });
    if (performance.now() >= deadline) throw new SpoolError('STATE_UNKNOWN', { session: session.name, reason: why });
    // Output that arrived meanwhile is looked at right away.
    if (typeof look === 'string' || verdict === 'again' || look.offset === session.log.end) await sleep(LOOK_AGAIN_MS);
  }
}

/** A look, or the reason why there is none. */
async function lookBefore(session: Session, deadline: number): Promise<Look | string> {
  const over = new AbortController();
  const late = sleep(Math.max(0, deadline - performance.now()), 'the daemon is too busy to check it', over).catch(
    () => '',
  );
  try {
    return await Promise.race([session.look({ mustReach: true }), late]);
  } catch (error) {
    return String((SpoolError.is(error) && error.details['reason']) || (error as Error).message);
  } finally {
    over.abort();
  }
}
