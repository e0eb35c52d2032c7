/**
 * All sessions that the page knows, and the state of its link.
 *
 * `feed.ts` is the only writer. After a lost link the sessions stay as they were last seen; `link/freshness.ts` knows their age,
 * and the page shows it.
 */
import type { SessionInfo } from '@spool/client';
import { create } from 'zustand';

export type LinkState =
  | { readonly type: 'connecting' }
  | { readonly type: 'live' }
  | { readonly type: 'lost' }
  | { readonly type: 'signed-out' };

export interface Sessions {
  readonly link: LinkState;
  readonly byId: ReadonlyMap<string, SessionInfo>;
  /** Whether the first list has arrived: an empty page is not yet known to be empty. */
  readonly isLoaded: boolean;
}

export const useSessions = create<Sessions>(() => ({
  link: { type: 'connecting' },
  byId: new Map(),
  isLoaded: false,
}));

export function setLink(link: LinkState): void {
  useSessions.setState((now) => (now.link.type === link.type ? now : { link }));
}

export function replaceAll(sessions: readonly SessionInfo[]): void {
  useSessions.setState({ byId: new Map(sessions.map((session) => [session.id, session])), isLoaded: true });
}

export function put(session: SessionInfo): void {
  useSessions.setState(({ byId }) => ({ byId: new Map(byId).set(session.id, session) }));
}

export function change(id: string, part: Partial<SessionInfo>): void {
  useSessions.setState((now) => {
    const session = now.byId.get(id);
    if (session === undefined) return now;
    return { byId: new Map(now.byId).set(id, { ...session, ...part }) };
  });
}

export function removeSession(id: string): void {
  useSessions.setState(({ byId }) => {
    const rest = new Map(byId);
    rest.delete(id);
    return { byId: rest };
  });
}
