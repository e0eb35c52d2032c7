/**
 * Types only into what has been seen [IN-7]: the screen is looked at with everything that the child has written, and what is
 * typed follows that look with nothing in between.
 *
 * A program that repaints all the time leaves gaps between its pictures (a spinner: 100 ms), and a look takes a few
 * milliseconds, so one of the looks is of the present. Where none is in time, nothing is typed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SpoolError } from '@spool/protocol';
import type { Look } from '../screens/messages.ts';
import type { Session } from '../session/session.ts';

/** A look of the present comes within this time, or nothing is typed. */
export const LOOK_MS_MAX = 3000;
/** Between two looks at something that will change by itself. */
const LOOK_AGAIN_MS = 25;

/** Refuses by throwing; `again` when it cannot be told yet. */
export type Judge = (look: Look) => 'type' | 'again';

export async function typeWhenSeen<T>(session: Session, judge: Judge, type: (look: Look) => T): Promise<T> {
  const deadline = performance.now() + LOOK_MS_MAX;
  for (;;) {
    const look = await lookBefore(session, deadline);
    let why = typeof look === 'string' ? look : 'it has not come to rest';
    const verdict = typeof look === 'string' ? 'again' : judge(look);
    if (typeof look !== 'string' && verdict === 'type' && look.isExact) {
      // From here to the write nothing else runs.
      if (session.isSeenTo(look.offset)) return type(look);
      why = session.trouble ?? 'it prints without a pause, or does not read its input';
    }
    if (!session.isRunning) throw new SpoolError('SESSION_EXITED', { session: session.name });
    if (performance.now() >= deadline) throw new SpoolError('STATE_UNKNOWN', { session: session.name, reason: why });
    // Output that came meanwhile is looked at right away.
    if (typeof look === 'string' || verdict === 'again' || look.offset === session.log.end) await sleep(LOOK_AGAIN_MS);
  }
}

/** A look, or why there is none. */
async function lookBefore(session: Session, deadline: number): Promise<Look | string> {
  const over = new AbortController();
  const late = sleep(Math.max(0, deadline - performance.now()), 'the daemon is too busy to look at it', over).catch(
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
