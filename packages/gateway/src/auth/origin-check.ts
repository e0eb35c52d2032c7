/**
 * The first checks of every request and upgrade: the host name that was used (DNS rebinding), and the page that it comes from
 * (cross-site requests). The lists are exact. Keeps DOOR-2.
 */
import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '@spool/protocol';
import type { TrustedProxies } from '../http/trusted-proxies.ts';

export interface AcceptedNames {
  /** The accepted hosts with port, as a browser sends them: `127.0.0.1:7733`. */
  readonly hosts: ReadonlySet<string>;
  /** The accepted origins: `http://127.0.0.1:7733`. */
  readonly origins: ReadonlySet<string>;
  readonly proxies: TrustedProxies;
  /** The path of the page, without a slash at its end. */
  readonly page: string;
}

export interface HttpRefusal {
  readonly status: number;
  readonly code: ErrorCode;
}

const WRONG_HOST: HttpRefusal = { status: 421, code: 'HOST_REFUSED' };
const WRONG_ORIGIN: HttpRefusal = { status: 403, code: 'ORIGIN_REFUSED' };

/** The values that our own page, or a user who types an address, sends. */
const OWN_SITE: ReadonlySet<string> = new Set(['same-origin', 'none']);

type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders' | 'headers' | 'socket'>;

export function checkOrigin(
  request: RequestHead,
  { hosts, origins, proxies, page }: AcceptedNames,
): HttpRefusal | null {
  const host = values(request, 'host');
  if (host.length !== 1 || !hosts.has(host[0]!)) return WRONG_HOST;
  const forwarded = proxies.hostOf(request);
  if (forwarded !== undefined && !hosts.has(forwarded)) return WRONG_HOST;
  if (!request.url?.startsWith('/')) return WRONG_HOST; // the absolute form names another host
  const origin = values(request, 'origin');
  if (origin.length > 1 || (origin.length === 1 && !origins.has(origin[0]!))) return WRONG_ORIGIN;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && !OWN_SITE.has(String(site)) && !isNavigation(request, page)) return WRONG_ORIGIN;
  return null;
}

/** Returns whether the request opens our page from a link on another site, which is allowed for no other path. */
function isNavigation({ method, url = '', headers }: RequestHead, page: string): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    ['/', page, `${page}/`].includes(url.split('?', 1)[0]!)
  );
}

/** Returns all values of a header: Node keeps only the first of several Host headers; here each counts. */
function values({ rawHeaders }: RequestHead, name: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.toLowerCase() === name) found.push(rawHeaders[at + 1]!);
  return found;
}
