/**
 * The page's one client of the daemon. It lives as long as the page: a broken link is dialled again for ever, and what
 * wakes a sleeping page (a visible tab, a return from the back-forward cache, a network, a jump of the clock) makes it
 * dial at once instead of waiting for a dead socket.
 */
import { Client } from '@spool/client';
import { TIMEOUT_MS_MAX } from '@spool/protocol';
import { setLink } from '../sessions/store.ts';
import { pageRuntime } from './page-runtime.ts';

/** Relative to the page, so that it works under any base path. */
export const pageUrl = (path: string): URL => new URL(path, document.baseURI);

const runtime = pageRuntime(pageUrl('./').href, {
  onOpen: () => setLink({ type: 'live' }),
  onClose: () => setLink({ type: 'lost', since: Date.now() }),
  onRefused: () => setLink({ type: 'signed-out' }),
});

/** Near the longest possible timer: a page never gives up. */
const RECONNECT_MS = TIMEOUT_MS_MAX;

export const client = new Client(runtime, { reconnectMs: RECONNECT_MS, who: 'page' });

/** A timer that is this late was paused, with everything else. */
const JUMP_MS = 5_000;
const TICK_MS = 1_000;

export function redialOnWake(): void {
  let lastTick = Date.now();
  setInterval(() => {
    const now = Date.now();
    if (now - lastTick > JUMP_MS) runtime.check();
    lastTick = now;
  }, TICK_MS);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') runtime.check();
  });
  window.addEventListener('pageshow', () => runtime.check());
  window.addEventListener('online', () => runtime.check());
}
