/**
 * `list`: the sessions that were asked for, a page at a time. What is not asked for costs a look at a few fields, and a page
 * is small enough that nobody else waits for it, however many sessions have ended.
 */
import { isListed, type Requests } from '@spool/protocol';
import type { Session } from './session.ts';

/** A page ends here, by bytes or by number; one session more is far below the megabyte that a frame takes. */
const PAGE_BYTES = 256 * 1024;
const PAGE_SESSIONS = 125;

/** The answer as JSON: each session is put into words once. */
export function listPage(all: Iterable<Session>, ask: Requests['list']['ask']): string {
  const { after, limit = Infinity, order = 'oldest' } = ask;
  const matching = [...all].filter((session) => isListed(session, ask));
  if (order === 'newest') matching.reverse();
  // If the session that the page was to follow has been removed meanwhile: begin again rather than end too soon.
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
