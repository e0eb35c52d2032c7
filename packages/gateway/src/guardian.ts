/** Decides who may come in, and opens their connections to the keeper. Keeps DOOR-1. */
import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { SpoolError, type StoredToken } from '@spool/protocol';
import type { Auditor } from './auditor.ts';
import { FailureLimit } from './failure-limit.ts';
import { type ActionLinks, isActionLink } from './notices/action-links.ts';
import { sessionOf } from './notices/asks.ts';
import { GuardedLink, type GuardedLinkHandlers } from './guarded-link.ts';
import type { Directory } from './guard/scope.ts';
import type { LastUsed } from './last-used.ts';
import { type Principal, principalOf } from './principal.ts';
import type { TokenBook } from './token-book.ts';
import type { TrustedProxies } from './trusted-proxies.ts';
import type { Visits } from './visits.ts';

/** A browser cannot send headers with a WebSocket, but a subprotocol: `spool.bearer.TOKEN`. */
const BEARER_PROTOCOL = 'spool.bearer.';

const COOKIES_TRIED = 8;

export interface GuardianOptions {
  readonly book: TokenBook;
  readonly sockets: readonly string[];
  readonly directory: Directory;
  /** The port is known when the server listens. */
  readonly place: { readonly port: number };
  readonly auditor: Auditor;
  readonly lastUsed: LastUsed;
  readonly links: ActionLinks;
  readonly proxies: TrustedProxies;
  readonly visits: Visits;
}

export class Guardian {
  readonly #options: GuardianOptions;
  readonly #limit = new FailureLimit();

  constructor(options: GuardianOptions) {
    this.#options = options;
  }

  /** Cookies are not kept apart by port, so their names are. */
  get cookieName(): string {
    return `spool_${this.#options.place.port}`;
  }

  /** What is open, for whom. */
  get visits(): Visits {
    return this.#options.visits;
  }

  get auditor(): Auditor {
    return this.#options.auditor;
  }

  /** Who this request is from. Throws TOKEN_MISSING or TOKEN_REFUSED. */
  identify(request: Pick<IncomingMessage, 'headers' | 'socket'>): Principal {
    const { headers } = request;
    const { book, place, lastUsed } = this.#options;
    const bearer = bearerOf(headers);
    const texts = bearer === undefined ? cookiesOf(headers.cookie, this.cookieName) : [bearer];
    if (texts.length === 0) throw new SpoolError('TOKEN_MISSING');
    // A token of a program is no cookie, and the cookie of one port is none of another.
    const isInPlace = ({ kind, port }: StoredToken): boolean =>
      bearer === undefined ? kind === 'device' && port === place.port : kind === 'token';
    const token = texts.map((text) => book.find(text)).find((found) => found !== null && isInPlace(found));
    if (!token) throw this.refused(this.addressOf(request), new SpoolError('TOKEN_REFUSED'));
    lastUsed.note(token.id);
    return principalOf(token);
  }

  /** The same for a route that the link in a notification opens too. */
  identifyAsked(request: Pick<IncomingMessage, 'headers' | 'socket'>): Principal {
    const text = bearerOf(request.headers);
    if (!isActionLink(text)) return this.identify(request);
    const link = this.#options.links.read(text);
    if (!link) throw this.refused(this.addressOf(request), new SpoolError('TOKEN_REFUSED'));
    const scope = { sessions: [sessionOf(link.ask)] };
    const { expiresAt } = link;
    return { id: 'notification', kind: 'token', name: 'notification', role: 'prompter', scope, expiresAt, link };
  }

  /** Where a request comes from. */
  addressOf(request: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    return this.#options.proxies.addressOf(request);
  }

  /** Counts a wrong token or code. The error to answer with. */
  refused(address = '', error: SpoolError): SpoolError {
    const answer = this.#limit.fail(address, error);
    if (answer.isTold) this.auditor.recordOften(null, 'refused', { address, note: answer.error.code });
    return answer.error;
  }

  /** Whether a code can be exchanged: the keeper is not bothered with others. */
  isCode(text: string): boolean {
    return this.#options.book.isCode(text);
  }

  open(principal: Principal, handlers: GuardedLinkHandlers): GuardedLink {
    const { sockets } = this.#options;
    // The runtime folder disappears at the last logout; the daemon also listens elsewhere.
    return new GuardedLink(sockets.find((path) => existsSync(path)) ?? sockets[0]!, principal, this.#options, handlers);
  }
}

export function hasBearer(headers: IncomingMessage['headers']): boolean {
  return bearerOf(headers) !== undefined;
}

function bearerOf(headers: IncomingMessage['headers']): string | undefined {
  const found = /^Bearer ([\w-]+)$/i.exec(headers.authorization ?? '')?.[1];
  if (found !== undefined) return found;
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
  return offered?.find((name) => name.startsWith(BEARER_PROTOCOL))?.slice(BEARER_PROTOCOL.length);
}

/**
 * Another site on this machine can set a cookie of the same name, for a path that comes first. It must not lock the user out, so each
 * is tried.
 */
function cookiesOf(header: string | undefined, name: string): string[] {
  const pairs = header?.split(';').map((pair) => pair.trim()) ?? [];
  const own = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  return own.slice(0, COOKIES_TRIED);
}
