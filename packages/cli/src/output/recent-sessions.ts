/** What a live list shows: all that run, and of those that have ended the latest. */
import type { Client } from '@spool/client';
import { ENDED_STATES, type SessionInfo } from '@spool/protocol';

/** More than anybody scrolls through, and a page or two of the keeper's. */
const ENDED_MAX = 500;

/** Oldest first. */
export async function recentSessions(client: Client): Promise<readonly SessionInfo[]> {
  const [running, ended] = await Promise.all([
    client.list({ states: ['running'] }),
    client.list({ states: ENDED_STATES, order: 'newest', limit: ENDED_MAX }),
  ]);
  return [...ended, ...running].sort((a, b) => a.startedAt - b.startedAt);
}
