/**
 * Detects whether this view was opened by the user, on this page. A link on another site leads here too, and its author chose the
 * view; a view that starts a program on the machine therefore waits for a press. Navigation within the page counts as the user's
 * once the user has touched it; so does a reload of a view that was opened before. Keeps PAGE-43.
 */
import { useSyncExternalStore } from 'react';

/** The key of the view that was open in this tab: a reload is not a link. */
const KEY = 'spool.opened';

let wasTouched = false;
let isOpened = isReload() && sessionStorage.getItem(KEY) === location.hash;
const listeners = new Set<() => void>();

for (const type of ['pointerdown', 'keydown', 'click'])
  window.addEventListener(
    type,
    ({ isTrusted }) => {
      wasTouched ||= isTrusted;
    },
    { capture: true, passive: true },
  );

window.addEventListener('hashchange', () => {
  if (isOpened || wasTouched) openView();
});

/** Notes that the user wants to see this view. */
export function openView(): void {
  isOpened = true;
  sessionStorage.setItem(KEY, location.hash);
  for (const listen of listeners) listen();
}

export function useOpened(): boolean {
  return useSyncExternalStore(subscribe, () => isOpened);
}

function subscribe(listen: () => void): () => void {
  listeners.add(listen);
  return () => listeners.delete(listen);
}

function isReload(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.type === 'reload';
}
