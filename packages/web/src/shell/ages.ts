/** How long ago, in the fewest characters: `4s`, `12m`, `3h`, `5d`. */
import { useSyncExternalStore } from 'react';

export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** The present, renewed every second while something shows it. */
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
