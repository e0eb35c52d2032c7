/**
 * A WebSocket as a transport: each frame is one binary message. Any runtime with the web's `WebSocket` can use it.
 *
 * A token is sent in the `Authorization` header if the runtime allows headers (Node), and in a browser as the name of a
 * subprotocol. It is never part of an address, because addresses end up in logs.
 */
import { SpoolError } from '@spool/protocol';
import type { AbortSignalLike, Transport } from '../link/runtime.ts';
import type { GatewayAddress } from './address.ts';
import { refusal } from './refusal.ts';
import { web, type WebSocketLike } from './web-globals.ts';

/** The limit from the first packet to the answer of the gateway. */
const CONNECT_MS = 5000;

/** The buffered bytes above which a sender waits: a few frames, so that the network is never idle between two polls. */
const BUFFERED_BYTES_HIGH = 256 * 1024;

/** The poll interval: WebSockets do not report that they have drained. */
const DRAIN_POLL_MS = 5;

/**
 * The subprotocols that are offered to the gateway. One of them contains the token, and the gateway never repeats it in its answer.
 */
const FRAMES = 'spool.v1';
const BEARER = 'spool.bearer.';

/** The `readyState` of an open connection. */
const OPEN = 1;

export interface WebSocketDialOptions {
  readonly address: GatewayAddress;
  readonly token?: string | undefined;
}

/** Connects; rejects with a typed error that shows whether another attempt may succeed. */
export async function dialWebSocket(
  { address, token }: WebSocketDialOptions,
  signal?: AbortSignalLike,
): Promise<Transport> {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const socket = open(address.socketUrl, headers, token);
  const transport = new WebSocketTransport(socket);
  const onAbort = (): void => reject(new SpoolError('CONNECTION_LOST', { reason: 'no answer in time' }));
  const timer = web.setTimeout(onAbort, CONNECT_MS);
  socket.onopen = () => resolve(true);
  transport.onClose = () => resolve(false);
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  try {
    if (await promise) return transport;
  } catch (error) {
    transport.close();
    throw error;
  } finally {
    web.clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
  throw await refusal(address, headers);
}

function open(url: string, headers: Readonly<Record<string, string>>, token: string | undefined): WebSocketLike {
  if (web.WebSocket === undefined) throw new SpoolError('NODE_TOO_OLD', { reason: 'this runtime has no WebSocket' });
  // A browser would take the object for the name of a subprotocol.
  if (web.document === undefined) return new web.WebSocket(url, { headers });
  return token === undefined ? new web.WebSocket(url) : new web.WebSocket(url, [FRAMES, `${BEARER}${token}`]);
}

class WebSocketTransport implements Transport {
  readonly #socket: WebSocketLike;
  #isClosed = false;
  onData: (chunk: Uint8Array) => void = () => {};
  onClose: (error?: Error) => void = () => {};

  constructor(socket: WebSocketLike) {
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) => {
      // Text is not part of the protocol; a later gateway may use it for hints.
      if (!this.#isClosed && data instanceof ArrayBuffer) this.onData(new Uint8Array(data));
    };
    socket.onclose = ({ code, reason }) =>
      this.#end(new Error(`closed with ${code}${reason === '' ? '' : `: ${reason}`}`));
    socket.onerror = () => {}; // `onclose` follows
  }

  send(bytes: Uint8Array): void {
    if (!this.#isClosed && this.#socket.readyState === OPEN) this.#socket.send(bytes);
  }

  get bufferedBytes(): number {
    return this.#isClosed ? 0 : this.#socket.bufferedAmount;
  }

  async drained(): Promise<void> {
    while (this.bufferedBytes > BUFFERED_BYTES_HIGH) {
      const { promise, resolve } = Promise.withResolvers<void>();
      web.setTimeout(resolve, DRAIN_POLL_MS);
      await promise;
    }
  }

  /**
   * Closes the transport and notifies the owner at once: on a dead network the closing handshake would take as long as the
   * operating system tries.
   */
  close(): void {
    this.#socket.close();
    this.#end();
  }

  #end(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onClose(error);
  }
}
