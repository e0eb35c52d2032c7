/**
 * Implements `list`: the matching sessions, a page at a time. A session that does not match costs only a few field reads, and a
 * page is small enough not to delay other requests, however many sessions have ended. Keeps LIST-1.
 */
import { isListed, type Requests } from '@spool/protocol';
import type { KeeperSession } from './session.ts';

/** The limits of a page, in bytes and in sessions; one more session is far below the megabyte that a frame holds. */
const PAGE_BYTES = 256 * 1024;
const PAGE_SESSIONS = 125;

/** Returns the answer as JSON: each session is serialized once. */
export function listPage(all: Iterable<KeeperSession>, ask: Requests['list']['ask']): string {
  const { after, limit = Infinity, order = 'oldest' } = ask;
  const matching = [...all].filter((session) => isListed(session, ask));
  if (order === 'newest') matching.reverse();
  // If the session before this page was removed meanwhile, the list starts again instead of ending too soon.
  const from = after === undefined ? 0 : matching.findIndex(({ id }) => id === after) + 1;
  const end = Math.min(matching.length, from + Math.min(limit, PAGE_SESSIONS));
  const parts: string[] = [];
  let bytes = 0;
  let at = from;
  for (; at < end && bytes <= PAGE_BYTES; at++) {
    const part = JSON.stringify(matching[at]!.info);
    bytes += part.length;
    parts.push(part);
  }
  const isLast = at === matching.length || parts.length === limit;
  const next = isLast ? null : matching[at - 1]!.id;
  return `{"sessions":[${parts.join(',')}],"next":${JSON.stringify(next)},"matching":${matching.length}}`;
}
