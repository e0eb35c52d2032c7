/** The sessions in a live list: all running ones and the latest ended ones. */
import type { Client } from '@spool/client';
import { ENDED_STATES, type SessionInfo } from '@spool/protocol';

/** The limit of ended sessions: more than a user scrolls through. The keeper sends them in one or two pages. */
const ENDED_MAX = 500;

/** Returns the sessions, oldest first. */
export async function recentSessions(client: Client): Promise<readonly SessionInfo[]> {
  const [running, ended] = await Promise.all([
    client.list({ states: ['running'] }),
    client.list({ states: ENDED_STATES, order: 'newest', limit: ENDED_MAX }),
  ]);
  return [...ended, ...running].sort((a, b) => a.startedAt - b.startedAt);
}
