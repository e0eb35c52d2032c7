/**
 * A search in the output of one session, as a reader of its log. It stops at once when its client has disconnected, so that the
 * daemon reads no more for it. Keeps PAGE-38.
 */
import type { Client } from '@spool/client';
import type { SearchPage, SessionInfo } from '@spool/protocol';
import { searchLog } from './log-search.ts';

export interface SearchQuery {
  readonly text: string;
  readonly before?: number | undefined;
  readonly limit?: number | undefined;
}

/** The maximum duration of a search: a longer one would delay others, and the page asks again for the rest. */
const SEARCH_MS = 400;
const MATCHES = 50;
/** The number of bytes that the daemon reads beyond a window. */
const CREDIT_BYTES = 256 * 1024;

export async function searchSession(
  client: Pick<Client, 'watch'>,
  { id, offset, firstOffset }: Pick<SessionInfo, 'id' | 'offset' | 'firstOffset'>,
  { text, before, limit = MATCHES }: SearchQuery,
  signal: AbortSignal,
): Promise<SearchPage> {
  const until = performance.now() + SEARCH_MS;
  return await searchLog({
    text,
    before: Math.min(before ?? offset, offset),
    firstOffset,
    limit,
    isLate: () => performance.now() > until,
    async *read(from, to) {
      signal.throwIfAborted();
      if (to <= from) return;
      for await (const item of client.watch(id, { from, creditBytes: CREDIT_BYTES, signal })) {
        if (item.type === 'output') {
          if (item.offset >= to) return;
          yield { offset: item.offset, bytes: item.bytes.subarray(0, to - item.offset) };
          if (item.offset + item.bytes.length >= to) return;
        } else if (item.type === 'exit' || item.type === 'removed') return;
      }
    },
  });
}
