/**
 * The page's only client of the daemon, and one client for each node whose sessions it has used. It lives as long as the page: a
 * broken link is dialled again forever, and every event that wakes a sleeping page (a visible tab, a return from the back-forward
 * cache, a network, a jump of the clock) makes it ping, or dial, at once. Keeps PAGE-22.
 */
import { Client, fleetClient } from '@spool/client';
import { TIMEOUT_MS_MAX } from '@spool/protocol';
import { setLink, useSessions } from '../sessions/store.ts';
import { freshness } from './freshness.ts';
import { pageRuntime } from './page-runtime.ts';
import { pageUrl } from './page-url.ts';

export { pageUrl };

const runtime = pageRuntime(pageUrl('./').href, {
  onHeard: () => {
    freshness.heard();
    setLink({ type: 'live' });
  },
  onClose: () => setLink({ type: 'lost' }),
  onRefused: () => setLink({ type: 'signed-out' }),
});

/** The limit of reconnection, near the maximum of a timer: a page never gives up. */
const RECONNECT_MS = TIMEOUT_MS_MAX;

const own = new Client(runtime, { reconnectMs: RECONNECT_MS, who: 'page' });

const nodeClients = new Map<string, Client>();

/** Returns the client of a node; null means the gateway's machine. */
export function clientAt(node: string | null): Client {
  if (node === null) return own;
  const client = nodeClients.get(node) ?? own.node(node);
  nodeClients.set(node, client);
  return client;
}

/** The client for the sessions of all machines. */
export const client = fleetClient(own, clientAt);

/** A timer that is this late was paused, with the whole page. */
const JUMP_MS = 5_000;
const TICK_MS = 1_000;

/** Starts the wake-up handlers; called once in the life of the page. */
export function keepAwake(): void {
  const wake = (): void => {
    freshness.woke();
    own.wake();
    for (const each of nodeClients.values()) each.wake();
  };
  // Otherwise an attempt to connect would be aborted each second.
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
