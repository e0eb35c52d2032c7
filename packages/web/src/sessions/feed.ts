/**
 * Keeps the store up to date: a list first, then the daemon's events. After missed events (a broken link, a slow tab) it lists
 * again.
 */
import { type Client, ENDED_STATES, type EventItem } from '@spool/client';
import { change, put, removeSession, replaceAll } from './store.ts';

/** The maximum of ended sessions; the latest are kept, because a page that loads 20,000 of them is slow. */
const ENDED_MAX = 100;

/** The events that change the content of the page. */
const TYPES = [
  'session-started',
  'session-exited',
  'session-removed',
  'session-status',
  'session-resized',
  'session-renamed',
  'milestone',
] as const;

export async function followSessions(client: Client): Promise<void> {
  const events = client.events({ types: TYPES });
  await load(client);
  for await (const event of events) await apply(client, event);
}

async function load(client: Client): Promise<void> {
  const [running, ended] = await Promise.all([
    client.list({ states: ['running'] }),
    client.list({ states: ENDED_STATES, limit: ENDED_MAX, order: 'newest' }),
  ]);
  replaceAll([...running, ...ended]);
}

async function apply(client: Client, event: EventItem): Promise<void> {
  switch (event.type) {
    case 'events-missed':
      return load(client);
    case 'session-started':
    case 'session-exited':
      return put(event.session);
    case 'session-removed':
      return removeSession(event.id);
    case 'session-status':
      return change(event.id, { status: event.status });
    case 'session-resized':
      return change(event.id, { size: { cols: event.cols, rows: event.rows } });
    case 'session-renamed':
      return change(event.id, { name: event.name });
    case 'milestone':
      return change(event.id, { milestone: event });
    default: // other types were not requested
  }
}
