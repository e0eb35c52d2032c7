/** Lists past events: starts, ends, statuses, milestones, commands and typists of the sessions, in order of time. Keeps SAY-4. */
import type { Client } from '@spool/client';
import { type HistoryItem, type SessionInfo, SpoolError } from '@spool/protocol';
import type { ListedEvent } from './listed-event.ts';

/** The number of histories that are read at the same time. Each is a file of the daemon. */
const READ_AT_ONCE = 8;

export async function pastEvents(
  client: Pick<Client, 'explain'>,
  sessions: readonly SessionInfo[],
  since: number,
): Promise<ListedEvent[]> {
  const found: ListedEvent[] = [];
  const left = sessions.filter(({ endedAt }) => endedAt === null || endedAt >= since);
  const readOn = async (): Promise<void> => {
    for (let session = left.shift(); session !== undefined; session = left.shift())
      found.push(...(await eventsOf(client, session)));
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, readOn));
  return found.filter(({ at }) => at >= since).sort((a, b) => a.at - b.at || rankOf(a) - rankOf(b));
}

async function eventsOf(client: Pick<Client, 'explain'>, session: SessionInfo): Promise<ListedEvent[]> {
  const { id, startedAt, endedAt } = session;
  return [
    { type: 'session-started', at: startedAt, session },
    // The screen is read a moment after the end, but the end stays the last event.
    ...(await historyOf(client, id)).map((item) => eventOf(id, { ...item, at: Math.min(item.at, endedAt ?? item.at) })),
    ...(endedAt === null ? [] : [{ type: 'session-exited' as const, at: endedAt, session }]),
  ];
}

async function historyOf(client: Pick<Client, 'explain'>, id: string): Promise<readonly HistoryItem[]> {
  try {
    return (await client.explain(id)).history;
  } catch (error) {
    if (!SpoolError.is(error, 'SESSION_UNKNOWN')) throw error;
    return []; // it was removed meanwhile
  }
}

function eventOf(id: string, item: HistoryItem): ListedEvent {
  if (item.type === 'typed') return { type: 'session-typed', at: item.at, id, who: item.who };
  if (item.type !== 'status') return { ...item, id };
  const { at, state, kind, source, why, offset } = item;
  return { type: 'session-status', at, id, status: { state, kind, source, why, offset } };
}

/** Returns the rank at the same millisecond: a start comes first and an end last. */
function rankOf({ type }: ListedEvent): number {
  return type === 'session-started' ? 0 : type === 'session-exited' ? 2 : 1;
}
