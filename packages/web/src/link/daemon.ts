/**
 * The page's one client of the daemon. It lives as long as the page: a broken link is dialled again for ever, and what
 * wakes a sleeping page (a visible tab, a return from the back-forward cache, a network, a jump of the clock) makes it
 * ask for a sign of life, or dial, at once. Keeps PAGE-22.
 */
import { Client } from '@spool/client';
import { TIMEOUT_MS_MAX } from '@spool/protocol';
import { setLink, useSessions } from '../sessions/store.ts';
import { freshness } from './freshness.ts';
import { pageRuntime } from './page-runtime.ts';

/** Relative to the page, so that it works under any base path. */
export const pageUrl = (path: string): URL => new URL(path, document.baseURI);

const runtime = pageRuntime(pageUrl('./').href, {
  onHeard: () => {
    freshness.heard();
    setLink({ type: 'live' });
  },
  onClose: () => setLink({ type: 'lost' }),
  onRefused: () => setLink({ type: 'signed-out' }),
});

/** Near the longest possible timer: a page never gives up. */
const RECONNECT_MS = TIMEOUT_MS_MAX;

export const client = new Client(runtime, { reconnectMs: RECONNECT_MS, who: 'page' });

/** A timer that is this late was paused, with everything else. */
const JUMP_MS = 5_000;
const TICK_MS = 1_000;

/** Once, for the life of the page. */
export function keepAwake(): void {
  const wake = (): void => {
    freshness.woke();
    client.wake();
  };
  // Else an attempt to connect would be given up each second.
  const isLive = (): boolean => useSessions.getState().link.type === 'live';
  let lastTick = Date.now();
  setInterval(() => {
    const now = Date.now();
    if (now - lastTick > JUMP_MS) wake();
    else if (!document.hidden && isLive() && freshness.quietMs >= TICK_MS) client.wake();
    lastTick = now;
  }, TICK_MS);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') wake();
  });
  window.addEventListener('pageshow', wake);
  window.addEventListener('online', wake);
}
