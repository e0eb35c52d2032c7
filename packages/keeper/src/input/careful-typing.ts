/**
 * Types only after a look at the screen: the look includes all output of the child, and no other code runs between that look and
 * the input. Keeps IN-7.
 *
 * A program that repaints all the time leaves gaps between its frames (a spinner: 100 ms), and a look takes a few milliseconds, so
 * one of the looks is up to date. If no look is up to date within the limit, no input is typed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SpoolError } from '@spool/protocol';
import type { ScreenReport } from '../screens/messages.ts';
import type { KeeperSession } from '../sessions/session.ts';
import { notReady, READY_MS_MAX } from './readiness.ts';

/** The limit for an up-to-date look; after it, the input is refused. */
const LOOK_MS_MAX = 3000;
/** The pause between two looks at a screen that is about to change by itself. */
const LOOK_AGAIN_MS = 25;
/** The pause between two looks at an agent that starts. */
const NOT_READY_MS = 100;

/**
 * Decides whether to type: refuses by throwing; returns `again` when it cannot decide yet, and `not-ready` while an agent starts.
 */
export type ReadinessCheck = (look: ScreenReport) => 'type' | 'again' | 'not-ready';

export async function typeWhenSeen<T>(
  session: KeeperSession,
  judge: ReadinessCheck,
  type: (look: ScreenReport) => T,
  { readyMs = READY_MS_MAX }: { readonly readyMs?: number | undefined } = {},
): Promise<T> {
  const begunAt = performance.now();
  let deadline = begunAt + LOOK_MS_MAX;
  for (;;) {
    const look = await lookBefore(session, deadline);
    const seenAt = performance.now();
    let why = typeof look === 'string' ? look : 'its screen keeps changing';
    const verdict = typeof look === 'string' ? 'again' : judge(look);
    if (typeof look !== 'string' && verdict === 'type' && look.isExact) {
      // From here to the write, no other code runs.
      if (session.isSeenTo(look.offset)) return type(look);
      why = session.file.trouble ?? 'it prints without a pause or does not read its input';
    }
    if (!session.isRunning) throw new SpoolError('SESSION_EXITED', { session: session.name });
    if (verdict === 'not-ready') {
      if (seenAt - begunAt >= readyMs) throw notReady(session, seenAt - begunAt);
      deadline = seenAt + NOT_READY_MS + LOOK_MS_MAX; // counted from the moment at which the agent is ready
      await sleep(Math.min(NOT_READY_MS, Math.max(0, begunAt + readyMs - seenAt)));
      continue;
    }
    if (seenAt >= deadline) throw new SpoolError('STATE_UNKNOWN', { session: session.name, reason: why });
    // Output that has arrived meanwhile is examined at once.
    if (typeof look === 'string' || verdict === 'again' || look.offset === session.log.end) await sleep(LOOK_AGAIN_MS);
  }
}

/** Returns a look, or the reason why there is none. */
async function lookBefore(session: KeeperSession, deadline: number): Promise<ScreenReport | string> {
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
