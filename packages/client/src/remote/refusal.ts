/**
 * Finds out why a gateway refused a WebSocket. The web's interface does not report it, because a browser must not learn it about
 * another origin, so this module sends a plain request and reads the status. Keeps REM-3: a failure that another attempt cannot
 * change is not retried.
 */
import { SpoolError } from '@spool/protocol';
import { abortController } from '../link/runtime.ts';
import type { GatewayAddress } from './address.ts';
import { web } from './web-globals.ts';

/** The limit for the request. */
const ASK_MS = 5000;

export async function refusal(address: GatewayAddress, headers: Readonly<Record<string, string>>): Promise<SpoolError> {
  const late = abortController();
  const timer = web.setTimeout(() => late.abort(), ASK_MS);
  try {
    const { status, headers: sent } = await web.fetch(address.askUrl, {
      method: 'HEAD',
      headers,
      redirect: 'manual',
      signal: late.signal,
    });
    return refusalOf(status, address.url, /^application\/json\b/.test(sent.get('content-type') ?? ''));
  } catch (error) {
    return new SpoolError('HOST_UNREACHABLE', { host: address.url, reason: reasonOf(error) }, { cause: error });
  } finally {
    web.clearTimeout(timer);
  }
}

/**
 * Returns the error for a status. A gateway lists its sessions to every client that it admits, so in this case only the WebSocket
 * has failed, and may be retried.
 */
export function refusalOf(status: number, host: string, isJson = false): SpoolError {
  if (status === 200 && isJson) return new SpoolError('CONNECTION_LOST', { host });
  switch (status) {
    case 401:
      return new SpoolError('TOKEN_REFUSED', { host });
    case 403:
      return new SpoolError('NOT_ALLOWED', {
        host,
        reason: 'the token has no right to connect, or the origin is foreign',
      });
    case 421:
      return new SpoolError('GATEWAY_NOT_FOUND', { host, reason: 'the gateway does not answer to this host name' });
    case 404:
    case 405:
    case 410:
      return new SpoolError('GATEWAY_NOT_FOUND', { host });
    default:
      // A proxy whose gateway is unreachable answers 502 to 504, and a busy gateway 429 or 503.
      if (status >= 200 && status < 400) return new SpoolError('GATEWAY_NOT_FOUND', { host });
      return new SpoolError('HOST_UNREACHABLE', { host, status });
  }
}

/** Returns the cause of an error: `fetch failed` is useless, but its cause is not (`ECONNREFUSED`). */
function reasonOf(error: unknown): string {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  if (cause?.code !== undefined) return cause.code;
  const name = (error as Error).name;
  return name === 'AbortError' ? 'no answer in time' : (cause?.message ?? String((error as Error).message));
}
