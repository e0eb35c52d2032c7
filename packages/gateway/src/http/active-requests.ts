/**
 * The open requests, streams of events and WebSockets of each token. Each ends with its token, and one token can open only a
 * limited number, so that a viewer does not use up the connections that the daemon has for all. Keeps DOOR-12 and DOOR-41.
 */
import { mayDo, SpoolError } from '@spool/protocol';
import type { ConnectionFaults } from './connection-faults.ts';
import type { Principal } from '../auth/principal.ts';

/**
 * The maximum of WebSockets of one token below an operator, or of all browsers of one share link. An operator can start programs,
 * so a limit would be useless.
 */
export const SOCKETS_OF_VIEWER_MAX = 512;

/** The maximum of requests and streams of events: an answer that is not read stays in memory, and may have a megabyte. */
export const REQUESTS_OF_VIEWER_MAX = 128;

/** The share of the daemon's connections for the network; the rest is for clients on this machine. */
const SHARE_OF_DAEMON = 3 / 4;
const DAEMON_CONNECTIONS = 4000;

/** The interval of checks for expired tokens, by the wall clock: a timer does not advance while a laptop sleeps. */
const LOOK_MS = 500;

/** The reason why the daemon closes a request or socket before its client does. */
export type EndReason = 'revoked' | 'expired';

interface ActiveRequest {
  readonly principal: Principal;
  close(why: EndReason): void;
}

export class ActiveRequests {
  readonly #most: number;
  readonly #bind: ConnectionFaults['bind'];
  readonly #live = new Set<ActiveRequest>();
  readonly #counts = new Map<string, number>();
  /** The timer, while a request or socket is open that can expire. */
  #clock: NodeJS.Timeout | null = null;
  #expiring = 0;

  /**
   * `connections`: the maximum of connections that the daemon may have in total. `bind`: an exception while one request is closed
   * must not keep the others open.
   */
  constructor(connections: number = DAEMON_CONNECTIONS, bind: ConnectionFaults['bind'] = (act) => act) {
    this.#bind = bind;
    this.#most = Math.floor(connections * SHARE_OF_DAEMON);
  }

  /**
   * Opens a request or socket; `close` is called when the token ends first. Returns the function to call at the end of the
   * request. Throws TOO_MANY_VISITS.
   */
  open(principal: Principal, kind: 'request' | 'socket', close: (why: EndReason) => void): () => void {
    const whose = `${kind} ${principal.parent ?? principal.id}`;
    const count = this.#counts.get(whose) ?? 0;
    const ofViewer = kind === 'request' ? REQUESTS_OF_VIEWER_MAX : SOCKETS_OF_VIEWER_MAX;
    const most = mayDo(principal.role, 'operator') ? this.#most : Math.min(this.#most, ofViewer);
    if (count >= most || this.#live.size >= this.#most) throw new SpoolError('TOO_MANY_VISITS', { most });
    const active: ActiveRequest = { principal, close: this.#bind(close) };
    this.#live.add(active);
    this.#counts.set(whose, count + 1);
    if (principal.expiresAt !== null) this.#watch(1);
    return () => {
      if (!this.#live.delete(active)) return;
      const left = this.#counts.get(whose)! - 1;
      if (left === 0) this.#counts.delete(whose);
      else this.#counts.set(whose, left);
      if (principal.expiresAt !== null) this.#watch(-1);
    };
  }

  closeRevoked(isValid: (id: string) => boolean): void {
    for (const { principal, close } of this.#live)
      if (principal.link === undefined && !isValid(principal.id)) close('revoked'); // a link in a notification is not a token
  }

  #watch(change: number): void {
    this.#expiring += change;
    if (this.#expiring > 0) this.#clock ??= setInterval(() => this.#closeExpired(), LOOK_MS).unref();
    else if (this.#clock) {
      clearInterval(this.#clock);
      this.#clock = null;
    }
  }

  #closeExpired(): void {
    const now = Date.now();
    for (const { principal, close } of this.#live)
      if (principal.expiresAt !== null && principal.expiresAt <= now) close('expired');
  }
}
