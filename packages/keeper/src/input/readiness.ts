/** Lets a prompt wait until the agent accepts input, and refuses it when that takes too long. Keeps IN-21. */
import { readyAfterMs } from '@spool/status';
import { SpoolError } from '@spool/protocol';
import type { KeeperSession } from '../sessions/session.ts';
import type { ReadinessCheck } from './careful-typing.ts';

/** The limit for an agent to become ready for a prompt; after it, the prompt is refused. */
export const READY_MS_MAX = 30_000;

/** Returns a check that decides once the agent is ready. A dialog is refused at once. */
export function awaitReady(
  session: KeeperSession,
  judge: ReadinessCheck,
  judgeDialogs: ReadinessCheck,
): ReadinessCheck {
  let since: number | null = null;
  return (look) => {
    const afterMs = readyAfterMs({ ...look, readsByLine: session.input.readsByLine });
    if (afterMs === 0) return judge(look);
    if (afterMs === null) since = null;
    else since ??= performance.now();
    if (afterMs !== null && since !== null && performance.now() - since >= afterMs) return judge(look);
    return judgeDialogs(look) === 'again' ? 'again' : 'not-ready';
  };
}

export function notReady({ name }: KeeperSession, waitedMs: number): SpoolError {
  return new SpoolError('AGENT_NOT_READY', { session: name, waitedMs: Math.round(waitedMs) });
}
