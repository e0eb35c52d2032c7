/** Finds the last message of an agent at the end of its events log: its answer. Keeps EVT-25. */
import type { SessionInfo } from '@spool/protocol';
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
  { id, driver }: Pick<SessionInfo, 'id' | 'driver'>,
  from = Math.max(0, (driver?.offset ?? 0) - TAIL_BYTES),
): Promise<string | null> {
  let message: string | null = null;
  let parts: string[] = [];
  await using events = client.watchEvents(id, { from });
  for await (const item of events) {
    if (item.type === 'synced' || item.type === 'exit' || item.type === 'removed') break;
    if (item.type !== 'event' || item.event.kind !== 'message.done' || item.event.text.trim() === '') continue;
    if (item.event.message !== message) parts = [];
    ({ message } = item.event);
    parts = [...parts, item.event.text].slice(-PARTS_MAX);
  }
  return message === null ? null : parts.join('\n\n').trim();
}
