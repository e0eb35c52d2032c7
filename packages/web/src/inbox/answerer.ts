/**
 * Finds the client that answered a question: the one that typed since it was asked, or the one that an agent's log names. Keeps
 * PAGE-32.
 */
import { isAskedByAgent } from '@spool/protocol';
import type { Client, SessionInfo } from '@spool/client';

type Source = Pick<Client, 'get' | 'watchEvents'>;

/** Returns null if the daemon knows no such client. */
export async function answererOf(client: Source, session: SessionInfo): Promise<string | null> {
  if (isAskedByAgent(session)) return await deciderOf(client, session);
  const { typed } = await client.get(session.id);
  return typed !== null && typed.at >= session.status.since ? typed.who : null;
}

/** Starts with the record of the request; earlier records are not read. */
async function deciderOf(client: Source, { id, status }: SessionInfo): Promise<string | null> {
  const [open] = status.requests ?? [];
  if (open === undefined) return null;
  await using events = client.watchEvents(id, { from: open.offset });
  for await (const item of events) {
    if (item.type === 'synced' || item.type === 'exit' || item.type === 'removed') break; // all events so far were read
    if (item.type !== 'event') continue; // the command of the answer comes before its event
    const { event } = item;
    if (event.kind !== 'permission.resolved' && event.kind !== 'question.resolved') continue;
    if (event.request === open.request) return event.who ?? null;
  }
  return null;
}
