/** Decides who may come in, and opens their connections to the keeper. Keeps DOOR-1. */
import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { SpoolError } from '@spool/protocol';
import type { Auditor } from './auditor.ts';
import { FailureLimit } from './failure-limit.ts';
import { GuardedLink, type GuardedLinkHandlers } from './guarded-link.ts';
import type { Directory } from './guard/scope.ts';
import type { LastUsed } from './last-used.ts';
import { type Principal, principalOf } from './principal.ts';
import type { TokenBook } from './token-book.ts';

/** A browser cannot send headers with a WebSocket, but a subprotocol: `spool.bearer.TOKEN`. */
const BEARER_PROTOCOL = 'spool.bearer.';

export interface GuardianOptions {
  readonly book: TokenBook;
  readonly sockets: readonly string[];
  readonly directory: Directory;
  /** The port is known when the server listens. */
  readonly place: { readonly port: number };
  readonly auditor: Auditor;
  readonly lastUsed: LastUsed;
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

  get auditor(): Auditor {
    return this.#options.auditor;
  }

  /** Who this request is from. Throws TOKEN_MISSING or TOKEN_REFUSED. */
  identify({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): Principal {
    const { book, place, lastUsed } = this.#options;
    const bearer = bearerOf(headers);
    const text = bearer ?? cookieOf(headers.cookie, this.cookieName);
    if (text === undefined) throw new SpoolError('TOKEN_MISSING');
    const token = book.find(text);
    // A token of a program is no cookie, and the cookie of one port is none of another.
    const isInPlace =
      bearer === undefined ? token?.kind === 'device' && token.port === place.port : token?.kind === 'token';
    if (!token || !isInPlace) throw this.refused(socket.remoteAddress, new SpoolError('TOKEN_REFUSED'));
    lastUsed.note(token.id);
    return principalOf(token);
  }

  /** Counts a wrong token or code. The error to answer with. */
  refused(address = '', error: SpoolError): SpoolError {
    const answer = this.#limit.fail(address, error);
    if (answer.isTold) this.auditor.record(null, 'refused', { address, note: answer.error.code });
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
  const found = /^Bearer ([\w-]+)$/.exec(headers.authorization ?? '')?.[1];
  if (found !== undefined) return found;
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
  return offered?.find((name) => name.startsWith(BEARER_PROTOCOL))?.slice(BEARER_PROTOCOL.length);
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  const pairs = header?.split(';').map((pair) => pair.trim()) ?? [];
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
