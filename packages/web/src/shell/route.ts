/**
 * Where the user is, in the fragment of the address: it needs no route at the gateway, works under any base path, and is
 * never sent anywhere. `#/s/ID`, `#/s/ID/time`, `#/start`; anything else is the front page.
 */
import { useSyncExternalStore } from 'react';

export type Route =
  | { readonly page: 'home' }
  | { readonly page: 'session'; readonly id: string; readonly view: 'terminal' | 'time' | 'log' | 'files' }
  | { readonly page: 'start' };

export function routeOf(hash: string): Route {
  const [, page, id, view] = hash.replace(/^#/, '').split('/');
  if (page === 'start') return { page: 'start' };
  if (page !== 's' || id === undefined || id === '') return { page: 'home' };
  const known = view === 'time' || view === 'log' || view === 'files' ? view : 'terminal';
  return { page: 'session', id, view: known };
}

export function addressOf(route: Route): string {
  if (route.page === 'home') return '#/';
  if (route.page === 'start') return '#/start';
  return `#/s/${route.id}${route.view === 'terminal' ? '' : `/${route.view}`}`;
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
