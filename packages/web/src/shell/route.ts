/**
 * Where the user is, in the fragment of the address: it needs no route at the gateway, works under any base path, and is
 * never sent anywhere. `#/s/ID`, `#/s/ID/time/OFFSET`, `#/start`; anything else is the front page.
 */
import { useSyncExternalStore } from 'react';

export type Route =
  | { readonly page: 'home' }
  | { readonly page: 'session'; readonly id: string; readonly view: 'terminal' | 'time'; readonly offset?: number }
  | { readonly page: 'start' };

export function routeOf(hash: string): Route {
  const [, page, id, view, offset] = hash.replace(/^#/, '').split('/');
  if (page === 'start') return { page: 'start' };
  if (page !== 's' || id === undefined || id === '') return { page: 'home' };
  if (view !== 'time') return { page: 'session', id, view: 'terminal' };
  return { page: 'session', id, view, ...(/^\d+$/.test(offset ?? '') && { offset: Number(offset) }) };
}

export function addressOf(route: Route): string {
  if (route.page === 'home') return '#/';
  if (route.page === 'start') return '#/start';
  if (route.view === 'terminal') return `#/s/${route.id}`;
  return `#/s/${route.id}/time${route.offset === undefined ? '' : `/${route.offset}`}`;
}

export function go(route: Route): void {
  location.hash = addressOf(route);
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return routeOf(hash);
}

function subscribe(listen: () => void): () => void {
  window.addEventListener('hashchange', listen);
  return () => window.removeEventListener('hashchange', listen);
}
