/** The road `url`: this machine dials the gateway of the node with a token, and the gateway serves HTTP/2 on that WebSocket. */
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { gatewayAddress, refusalOf } from '@spool/client/remote';
import { type NewNode, SpoolError } from '@spool/protocol';
import { WebSocket } from 'ws';
import { LINK_MESSAGE_BYTES_MAX } from './join-entrance.ts';
import { LINK_DIALECT } from './link-dialect.ts';
import type { UrlRecord } from './records.ts';
import { duplexOver } from './socket-duplex.ts';

const CONNECT_WITHIN_MS = 10_000;

type Destination = Pick<UrlRecord, 'url' | 'token' | 'ca'>;

export function gatewayTarget({ url, token, ca }: NewNode): Destination & { readonly road: 'url' } {
  if (token === undefined) throw new SpoolError('TOKEN_MISSING');
  return { road: 'url', url: gatewayAddress(url).url, token, ...(ca !== undefined && { ca }) };
}

/** Connects. Rejects with the reason that the gateway gives. */
export async function dialGateway({ url, token, ca }: Destination, signal?: AbortSignal): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const socket = new WebSocket(gatewayAddress(url).socketUrl, [LINK_DIALECT], {
    headers: { authorization: `Bearer ${token}` },
    maxPayload: LINK_MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    allowSynchronousEvents: false,
    handshakeTimeout: CONNECT_WITHIN_MS,
    ...(ca !== undefined && { ca: [...rootCertificates, readFileSync(ca, 'utf8')] }),
  });
  const abort = (): void => socket.terminate();
  signal?.addEventListener('abort', abort);
  socket.once('open', () => resolve(duplexOver(socket))); // at once: the first bytes may have arrived with the answer
  socket.on('unexpected-response', (_request, response) => {
    reject(refusalOf(response.statusCode ?? 0, url));
    response.destroy();
  });
  socket.on('error', (error: Error & { readonly code?: string }) => {
    const isOlder = error.message.includes('subprotocol');
    reject(
      isOlder
        ? new SpoolError('VERSION_UNSUPPORTED', {
            host: url,
            reason: 'the gateway there is too old to serve as a node',
          })
        : new SpoolError('HOST_UNREACHABLE', { host: url, reason: error.code ?? error.message }),
    );
  });
  socket.once('close', () => reject(new SpoolError('CONNECTION_LOST')));
  try {
    return await promise;
  } catch (error) {
    socket.terminate();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
