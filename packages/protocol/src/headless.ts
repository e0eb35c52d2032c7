/** An agent has events if it has a driver. It is headless if it has no terminal; otherwise its events come from a side channel. */
import type { SessionInfo } from './messages.ts';

/** Returns whether the session is an agent without a terminal: its output is a protocol, not a screen. */
export function isHeadless({ driver, size }: Pick<SessionInfo, 'driver' | 'size'>): boolean {
  return driver !== undefined && size === null;
}

/** Returns whether the question of a session is a request of its agent, which a command answers; otherwise it is on the screen. */
export function isAskedByAgent(session: Pick<SessionInfo, 'driver' | 'size' | 'status'>): boolean {
  return isHeadless(session) || session.status.requests !== undefined;
}
