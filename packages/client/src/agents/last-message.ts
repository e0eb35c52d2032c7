/** Finds the last message of an agent at the end of its events log, which is its answer, or why it failed. Keeps EVT-25. */
import type { SessionInfo } from '@spool/protocol';
import { type AgentEvent, LastWords } from '@spool/protocol/agent';
import type { Client } from '../client.ts';

/** The number of bytes at the end of the log that are searched. A longer message is returned without its beginning. */
const TAIL_BYTES = 1024 * 1024;
/** The maximum of parts of one message; the last ones are kept. */
const PARTS_MAX = 100;

/**
 * Returns the last complete message; null if there is none. `from` is an offset in the events log: only messages after it count
 * (default: all messages in the last mebibyte).
 */
export async function lastMessage(
  client: Client,
  info: Pick<SessionInfo, 'id' | 'driver'>,
  from = tailOffset(info),
): Promise<string | null> {
  let message: string | null = null;
  let parts: string[] = [];
  for await (const event of eventsFrom(client, info.id, from)) {
    if (event.kind !== 'message.done' || event.text.trim() === '') continue;
    if (event.message !== message) parts = [];
    ({ message } = event);
    parts = [...parts, event.text].slice(-PARTS_MAX);
  }
  return message === null ? null : parts.join('\n\n').trim();
}

/** Returns how an agent that failed ended, and the last lines that it printed; null for any other. */
export async function lastWords(client: Client, info: Pick<SessionInfo, 'id' | 'driver'>): Promise<string | null> {
  const words = new LastWords();
  let failure: string | null = null;
  for await (const event of eventsFrom(client, info.id, tailOffset(info))) failure = words.take(event) ?? failure;
  return failure;
}

function tailOffset({ driver }: Pick<SessionInfo, 'driver'>): number {
  return Math.max(0, (driver?.offset ?? 0) - TAIL_BYTES);
}

/** Yields the events that the log has now. */
async function* eventsFrom(client: Client, id: string, from: number): AsyncGenerator<AgentEvent> {
  await using events = client.watchEvents(id, { from });
  for await (const item of events) {
    if (item.type === 'synced' || item.type === 'exit' || item.type === 'removed') return;
    if (item.type === 'event') yield item.event;
  }
}
