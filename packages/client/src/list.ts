/** Reads all pages of a list. */
import { isListed, type ListOptions, type Requests, type SessionInfo, SpoolError } from '@spool/protocol';

type ListRequester = (ask: Requests['list']['ask']) => Promise<Requests['list']['answer']>;

export interface Listed {
  readonly sessions: readonly SessionInfo[];
  /** The total number of matches, whatever the limit. */
  readonly matching: number;
}

export async function listSessions(ask: ListRequester, options: ListOptions): Promise<Listed> {
  try {
    return await pages(ask, options);
  } catch (error) {
    // An older daemon can only list all sessions.
    if (!SpoolError.is(error, 'REQUEST_UNKNOWN')) throw error;
    const { sessions } = await pages(ask, {});
    const matching = sessions.filter((session) => isListed(session, options));
    if (options.order === 'newest') matching.reverse();
    return { sessions: matching.slice(0, options.limit), matching: matching.length };
  }
}

async function pages(ask: ListRequester, options: ListOptions): Promise<Listed> {
  // The pages are joined by id, because the keeper starts again if the session before a page was removed in between.
  const sessions = new Map<string, SessionInfo>();
  let matching: number | undefined;
  for (let after: string | null | undefined; after !== null;) {
    const left = options.limit === undefined ? {} : { limit: options.limit - sessions.size };
    const page = await ask({ ...options, ...left, ...(after !== undefined && { after }) });
    for (const session of page.sessions) sessions.set(session.id, session);
    matching ??= page.matching;
    after = sessions.size >= (options.limit ?? Infinity) ? null : page.next;
  }
  return { sessions: [...sessions.values()], matching: matching ?? sessions.size };
}
