/**
 * Decides which clients are admitted, and opens their connections to the keeper. Programs send a token, browsers a pass; cookies
 * are not accepted. Keeps DOOR-1 and DOOR-55.
 */
import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { SpoolError, type StoredToken } from '@spool/protocol';
import type { Auditor } from './auditor.ts';
import { FailureLimit } from './failure-limit.ts';
import { type ActionLinks, isActionLink } from '../push/action-links.ts';
import { sessionOf } from '../push/asks.ts';
import { GuardedLink, type GuardedLinkHandlers } from '../websocket/guarded-link.ts';
import type { Directory } from './guard/scope.ts';
import type { LastUsed } from './last-used.ts';
import { type Principal, principalOf } from './principal.ts';
import { isPass, type Passes, type SignedChallenge } from './passes.ts';
import type { TokenCache } from './token-cache.ts';
import type { TrustedProxies } from '../http/trusted-proxies.ts';
import type { ActiveRequests } from '../http/active-requests.ts';

/** The prefix of a subprotocol with a token, `spool.bearer.TOKEN`: a browser cannot send headers with a WebSocket. */
const BEARER_PROTOCOL = 'spool.bearer.';

export interface AuthenticatorOptions {
  readonly tokenCache: TokenCache;
  readonly sockets: readonly string[];
  readonly directory: Directory;
  /** The place of the gateway; the port is known when the server listens. */
  readonly place: { readonly port: number };
  readonly auditor: Auditor;
  readonly lastUsed: LastUsed;
  readonly passes: Passes;
  readonly links: ActionLinks;
  readonly proxies: TrustedProxies;
  readonly activeRequests: ActiveRequests;
}

export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #limit = new FailureLimit();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** The open requests and sockets of each token. */
  get activeRequests(): ActiveRequests {
    return this.#options.activeRequests;
  }

  get auditor(): Auditor {
    return this.#options.auditor;
  }

  /** Returns the sender of this request. Throws TOKEN_MISSING or TOKEN_REFUSED. */
  identify(request: Pick<IncomingMessage, 'headers' | 'socket'>): Principal {
    const { tokenCache, lastUsed } = this.#options;
    const bearer = bearerOf(request.headers);
    if (bearer === undefined) throw new SpoolError('TOKEN_MISSING');
    const token = isPass(bearer) ? this.#deviceBy(bearer) : tokenCache.find(bearer);
    if (!token) throw this.refused(this.addressOf(request), new SpoolError('TOKEN_REFUSED'));
    lastUsed.note(token.id);
    return principalOf(token);
  }

  /**
   * Returns the browser of a pass. A pass is valid for some minutes at one gateway; an expired pass does not count as a failure,
   * because its page signs another one.
   */
  #deviceBy(pass: string): StoredToken {
    const { passes } = this.#options;
    const device = this.device(passes.deviceOf(pass) ?? '');
    if (!device) throw new SpoolError('TOKEN_REFUSED');
    return device;
  }

  /** Returns the record of a browser that has logged in at this port; null if it was revoked or has expired. */
  device(id: string): StoredToken | null {
    const { tokenCache, place } = this.#options;
    const found = tokenCache.get(id);
    return found?.kind === 'device' && found.port === place.port ? found : null;
  }

  /** Returns the record of a machine that this one has joined; null if it was revoked. */
  peer(id: string): StoredToken | null {
    const found = this.#options.tokenCache.get(id);
    return found?.kind === 'peer' ? found : null;
  }

  /** Returns the invite that this request carries. Throws INVITE_REFUSED. */
  identifyInvite(request: Pick<IncomingMessage, 'headers' | 'socket'>): StoredToken {
    const invite = this.#options.tokenCache.findInvite(bearerOf(request.headers) ?? '');
    if (!invite) throw this.refused(this.addressOf(request), new SpoolError('INVITE_REFUSED'));
    return invite;
  }

  get passes(): Passes {
    return this.#options.passes;
  }

  /** Returns a pass for a browser that has signed a challenge. Throws TOKEN_REFUSED. */
  admit(request: Pick<IncomingMessage, 'headers' | 'socket'>, signed: SignedChallenge): string {
    const device = this.device(signed.device);
    const pass = device?.publicKey === undefined ? null : this.passes.exchange(signed, device.publicKey);
    if (pass === null) throw this.refused(this.addressOf(request), new SpoolError('TOKEN_REFUSED'));
    return pass;
  }

  /** Identifies the sender for a route that also accepts the link in a notification. */
  identifyAsked(request: Pick<IncomingMessage, 'headers' | 'socket'>): Principal {
    const text = bearerOf(request.headers);
    if (!isActionLink(text)) return this.identify(request);
    const link = this.#options.links.read(text);
    if (!link) throw this.refused(this.addressOf(request), new SpoolError('TOKEN_REFUSED'));
    const scope = { sessions: [sessionOf(link.ask)] };
    const { expiresAt } = link;
    return { id: 'notification', kind: 'token', name: 'notification', role: 'prompter', scope, expiresAt, link };
  }

  /** Returns the address that a request comes from. */
  addressOf(request: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    return this.#options.proxies.addressOf(request);
  }

  /** Counts a wrong token or code. Returns the error to answer with. */
  refused(address = '', error: SpoolError): SpoolError {
    const answer = this.#limit.fail(address, error);
    if (answer.isTold) this.auditor.recordOften(null, 'refused', { address, note: answer.error.code });
    return answer.error;
  }

  /** Returns whether a code can be exchanged: others are not sent to the keeper. */
  isCode(text: string): boolean {
    return this.#options.tokenCache.isCode(text);
  }

  open(principal: Principal, handlers: GuardedLinkHandlers): GuardedLink {
    const { sockets } = this.#options;
    // The runtime folder disappears at the last logout, so the daemon also listens elsewhere.
    return new GuardedLink(sockets.find((path) => existsSync(path)) ?? sockets[0]!, principal, this.#options, handlers);
  }
}

/** Returns whether a program sent the request: a browser's pass counts only with our own page as its origin. */
export function hasProgramToken(headers: IncomingMessage['headers']): boolean {
  const bearer = bearerOf(headers);
  return bearer !== undefined && !isPass(bearer);
}

/** Returns the token, pass or code that a request carries. */
export function bearerOf(headers: IncomingMessage['headers']): string | undefined {
  const found = /^Bearer ([\w-]+)$/i.exec(headers.authorization ?? '')?.[1];
  if (found !== undefined) return found;
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
  return offered?.find((name) => name.startsWith(BEARER_PROTOCOL))?.slice(BEARER_PROTOCOL.length);
}
