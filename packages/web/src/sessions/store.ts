/**
 * All sessions that the page knows, and the state of its link.
 *
 * `feed.ts` writes those of the gateway's machine, `node-feed.ts` those of its nodes. After a lost link the sessions stay as they
 * were last seen; `link/freshness.ts` knows their age, and the page shows it.
 */
import type { NodeInfo, NodeSession } from '@spool/client';
import { create } from 'zustand';

export type LinkState =
  | { readonly type: 'connecting' }
  | { readonly type: 'live' }
  | { readonly type: 'lost' }
  | { readonly type: 'signed-out' };

/** A session as the page knows it: one of a node has the id `NODE/ID`. */
export type PageSession = NodeSession;

export interface Sessions {
  readonly link: LinkState;
  readonly byId: ReadonlyMap<string, PageSession>;
  /** The nodes, online or away. */
  readonly nodes: readonly NodeInfo[];
  /** Whether the first list has arrived: before that, an empty page does not mean that there are no sessions. */
  readonly isLoaded: boolean;
}

export const useSessions = create<Sessions>(() => ({
  link: { type: 'connecting' },
  byId: new Map(),
  nodes: [],
  isLoaded: false,
}));

export function setLink(link: LinkState): void {
  useSessions.setState((now) => (now.link.type === link.type ? now : { link }));
}

/** Replaces the sessions of the gateway's machine. */
export function replaceAll(sessions: readonly PageSession[]): void {
  useSessions.setState(({ byId }) => ({ byId: mapOf([...sessions, ...ofNodes(byId)]), isLoaded: true }));
}

/** Replaces the nodes and their sessions. */
export function setNodes(nodes: readonly NodeInfo[], sessions: readonly PageSession[]): void {
  useSessions.setState(({ byId }) => ({
    nodes,
    byId: mapOf([...[...byId.values()].filter(({ node }) => node === undefined), ...sessions]),
  }));
}

function ofNodes(byId: ReadonlyMap<string, PageSession>): readonly PageSession[] {
  return [...byId.values()].filter(({ node }) => node !== undefined);
}

function mapOf(sessions: readonly PageSession[]): ReadonlyMap<string, PageSession> {
  return new Map(sessions.map((session) => [session.id, session]));
}

export function put(session: PageSession): void {
  useSessions.setState(({ byId }) => ({ byId: new Map(byId).set(session.id, session) }));
}

export function change(id: string, part: Partial<PageSession>): void {
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
