/**
 * What is open for whom: requests that are being answered, streams of events, WebSockets. Each ends with its token, and one token can
 * open only so many, so that a viewer does not use up the connections that the daemon has for all. Keeps DOOR-5 and DOOR-12.
 */
import { mayDo, SpoolError } from '@spool/protocol';
import type { Principal } from './principal.ts';

/** WebSockets of one token below an operator, or of all browsers of one share link. An operator can start programs: a limit would be in vain. */
export const SOCKETS_OF_VIEWER_MAX = 512;

/** Requests and streams of events, too: an answer that is not read stays in memory, and may have a megabyte. */
export const REQUESTS_OF_VIEWER_MAX = 128;

/** Of the daemon's connections, those for the network; the rest is for clients on this machine. */
const SHARE_OF_DAEMON = 3 / 4;
const DAEMON_CONNECTIONS = 4000;

/** Expired tokens are looked for by the clock on the wall: a timer stands still while a laptop sleeps. */
const LOOK_MS = 500;

/** Why a visit ends before its visitor leaves. */
export type Ended = 'revoked' | 'expired';

interface Visit {
  readonly principal: Principal;
  close(why: Ended): void;
}

export class Visits {
  readonly #most: number;
  readonly #live = new Set<Visit>();
  readonly #counts = new Map<string, number>();
  /** While something is open that can expire. */
  #clock: NodeJS.Timeout | null = null;
  #expiring = 0;

  /** `connections`: how many the daemon may have in all. */
  constructor(connections: number = DAEMON_CONNECTIONS) {
    this.#most = Math.floor(connections * SHARE_OF_DAEMON);
  }

  /**
   * `close` is called when the token ends first. Returns what is to be called at the end of the visit. Throws TOO_MANY_VISITS.
   */
  open(principal: Principal, kind: 'request' | 'socket', close: (why: Ended) => void): () => void {
    const whose = `${kind} ${principal.parent ?? principal.id}`;
    const count = this.#counts.get(whose) ?? 0;
    const ofViewer = kind === 'request' ? REQUESTS_OF_VIEWER_MAX : SOCKETS_OF_VIEWER_MAX;
    const most = mayDo(principal.role, 'operator') ? this.#most : Math.min(this.#most, ofViewer);
    if (count >= most || this.#live.size >= this.#most) throw new SpoolError('TOO_MANY_VISITS', { most });
    const visit: Visit = { principal, close };
    this.#live.add(visit);
    this.#counts.set(whose, count + 1);
    if (principal.expiresAt !== null) this.#watch(1);
    return () => {
      if (!this.#live.delete(visit)) return;
      const left = this.#counts.get(whose)! - 1;
      if (left === 0) this.#counts.delete(whose);
      else this.#counts.set(whose, left);
      if (principal.expiresAt !== null) this.#watch(-1);
    };
  }

  closeRevoked(isValid: (id: string) => boolean): void {
    for (const { principal, close } of this.#live)
      if (principal.link === undefined && !isValid(principal.id)) close('revoked'); // a link in a notification is no token
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
