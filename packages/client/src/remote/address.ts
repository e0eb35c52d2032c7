/**
 * The address of a gateway: `https://host[:port][/base]`. Keeps a part of REM-4, the rule about plain text: a token is never sent
 * to another machine without TLS.
 */
import { SpoolError } from '@spool/protocol';
import { type ParsedUrl, web } from './web-globals.ts';

export interface GatewayAddress {
  /** The address for display: without a slash at the end. */
  readonly url: string;
  /** The address of the binary WebSocket. */
  readonly socketUrl: string;
  /** The address for a plain request with the same rights. */
  readonly askUrl: string;
}

/** Parses an address; throws ARGUMENT_INVALID with a reason. */
export function gatewayAddress(text: string): GatewayAddress {
  const url = parse(text);
  if (url === null) throw invalid(text, 'use https://HOST, or http:// on this machine');
  if (url.username !== '' || url.password !== '')
    throw invalid(`${url.protocol}//…@${url.host}`, 'an address cannot contain a password; use a token file');
  if (url.search !== '' || url.hash !== '')
    throw invalid(
      text.replace(/[?#].*$/s, '…'),
      'use the address without what follows ? or #: a code in it is for a browser',
    );
  const isPlain = url.protocol === 'http:' || url.protocol === 'ws:';
  if (isPlain && !isLoopback(url.hostname))
    throw invalid(text, 'http:// would send the token unencrypted; use https://, or a tunnel to this machine');
  const base = url.pathname.replace(/\/+$/, '');
  const place = (scheme: string, path: string): string => `${scheme}${isPlain ? '' : 's'}://${url.host}${base}${path}`;
  return { url: place('http', ''), socketUrl: place('ws', '/ws'), askUrl: place('http', '/api/sessions') };
}

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'ws:', 'wss:']);

function parse(text: string): ParsedUrl | null {
  try {
    const url = new web.URL(text);
    return SCHEMES.has(url.protocol) && url.host !== '' ? url : null;
  } catch {
    return null; // not an address: the caller reports it
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function invalid(value: string, reason: string): SpoolError {
  return new SpoolError('ARGUMENT_INVALID', { argument: 'host', value, reason });
}
