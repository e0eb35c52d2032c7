/** The present time, for components that show how long ago something was. */
import { useSyncExternalStore } from 'react';

/** Returns the present time, renewed every second while a component shows it. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listen: () => void): () => void {
  listeners.add(listen);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listen);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
