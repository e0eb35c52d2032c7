/**
 * The route, in the fragment of the address: it needs no route at the gateway, works under any base path, and is never sent.
 * `#/s/ID`, `#/s/ID/cards`, `#/s/ID/e/EVENT`, `#/s/ID/time/OFFSET`, `#/s/ID/files/PATH/LINE`, `#/start`, `#/start/agent`,
 * `#/settings`; anything else is the front page.
 */
import { useSyncExternalStore } from 'react';

const SESSION_VIEWS = ['terminal', 'cards', 'wire', 'time', 'text', 'files', 'changes', 'summary'] as const;

export type SessionViewName = (typeof SESSION_VIEWS)[number];

export const isSessionView = (value: unknown): value is SessionViewName => SESSION_VIEWS.some((each) => each === value);

export interface SessionRoute {
  readonly page: 'session';
  readonly id: string;
  readonly view: SessionViewName;
  /** The card of an agent's conversation, by the number of its event. */
  readonly event?: number;
  /** The offset of a moment in the past. */
  readonly offset?: number;
  /** The path of a file, relative to the folder of the session. */
  readonly path?: string;
  readonly line?: number;
  /** The line to mark on the screen of that moment. */
  readonly find?: string;
}

export type PageRoute =
  | { readonly page: 'home' }
  | { readonly page: 'settings' }
  | SessionRoute
  | { readonly page: 'start'; readonly what: 'command' | 'agent' };

export function routeOf(hash: string): PageRoute {
  const [, page, encoded, view, first, second] = hash.replace(/^#/, '').split('/');
  const id = encoded === undefined ? undefined : decoded(encoded);
  if (page === 'start') return { page: 'start', what: id === 'agent' ? 'agent' : 'command' };
  if (page === 'settings') return { page: 'settings' };
  if (page !== 's' || id === undefined || id === '') return { page: 'home' };
  if (view === 'time')
    return { page: 'session', id, view, ...numbered('offset', first), ...(second && { find: decoded(second) }) };
  if (view === 'files' && first !== undefined && first !== '')
    return { page: 'session', id, view, path: decoded(first), ...numbered('line', second) };
  if (isSessionView(view)) return { page: 'session', id, view };
  return { page: 'session', id, view: 'terminal', ...(view === 'e' ? numbered('event', first) : {}) };
}

export function addressOf(route: PageRoute): string {
  if (route.page === 'home') return '#/';
  if (route.page === 'session' && route.view === 'time' && route.offset !== undefined && route.find !== undefined)
    return `#/s/${encodeURIComponent(route.id)}/time/${route.offset}/${encodeURIComponent(route.find)}`;
  if (route.page === 'settings') return '#/settings';
  if (route.page === 'start') return route.what === 'agent' ? '#/start/agent' : '#/start';
  const { view, event, offset, path, line } = route;
  const id = encodeURIComponent(route.id); // the id of a node's session contains a slash
  if (view === 'terminal') return event === undefined ? `#/s/${id}` : `#/s/${id}/e/${event}`;
  if (view === 'time') return `#/s/${id}/time${offset === undefined ? '' : `/${offset}`}`;
  if (view !== 'files' || path === undefined || path === '') return `#/s/${id}/${view}`;
  return `#/s/${id}/files/${encodeURIComponent(path)}${line === undefined ? '' : `/${line}`}`;
}

export function go(route: PageRoute): void {
  location.hash = addressOf(route);
}

export function useRoute(): PageRoute {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return routeOf(hash);
}

function numbered<Name extends string>(name: Name, text: string | undefined): { readonly [K in Name]?: number } {
  return (/^\d+$/.test(text ?? '') ? { [name]: Number(text) } : {}) as { readonly [K in Name]?: number };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // typed by hand
  }
}

function subscribe(listen: () => void): () => void {
  window.addEventListener('hashchange', listen);
  return () => window.removeEventListener('hashchange', listen);
}
