/**
 * The WebSocket at `/ws`: the frames of the unix socket, over the network. Each client has a connection to the keeper of its own,
 * so that a slow one waits alone: while more than one frame waits for it here, its connection is not read. Keeps DOOR-13.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { OUTPUT_BYTES_MAX, SpoolError, toWireError } from '@spool/protocol';
import { type WebSocket, WebSocketServer } from 'ws';
import { speakAlis } from './dialects/alis.ts';
import { speakAttach } from './dialects/attach.ts';
import { speakEvents } from './dialects/events.ts';
import { whenExpired } from './expiry.ts';
import type { Guardian } from './guardian.ts';
import type { Principal } from './principal.ts';

/** The largest control frame with its header, and some room; `ws` allows 100 MiB by default. */
const MESSAGE_BYTES_MAX = 1024 * 1024 + 1024;

/** One frame of output, and its header. */
const FULL_BYTES = OUTPUT_BYTES_MAX + 1024;

/** A client whose requests the keeper does not take is not read any further. */
const UNSENT_BYTES_MAX = 1024 * 1024;

/** Without a sign of life for two of these, a connection is dead: phones close theirs without a word. */
const PING_MS = 30_000;

/** Codes of our own, 4000 to 4999. */
export const CLOSE = { revoked: 4001, keeperGone: 4002, invalid: 4003 } as const;

/** What a subprotocol does with a socket; its client has been authenticated, and nothing has been read. */
export type Dialect = (socket: WebSocket, principal: Principal, guardian: Guardian, request: IncomingMessage) => void;

/** Without a subprotocol, or with the first one, a client speaks frames. */
export const DIALECTS: Readonly<Record<string, Dialect>> = {
  'spool.v1': speakFrames,
  'spool.attach.v1': speakAttach,
  'spool.events.v1': speakEvents,
  'v1.alis': speakAlis,
};

export class WebSockets {
  readonly #guardian: Guardian;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    handleProtocols: (offered) => [...offered].find((name) => Object.hasOwn(DIALECTS, name)) ?? false,
  });
  readonly #live = new Map<WebSocket, { readonly principal: Principal; isAlive: boolean }>();
  #pings: NodeJS.Timeout | null = null;

  constructor(guardian: Guardian) {
    this.#guardian = guardian;
  }

  get count(): number {
    return this.#live.size;
  }

  /** The front door and the guardian have let it in. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, principal: Principal): void {
    this.#server.handleUpgrade(request, socket, head, (client) => {
      const state = { principal, isAlive: true };
      this.#live.set(client, state);
      client.on('pong', () => (state.isAlive = true));
      client.on('error', () => {}); // `close` follows
      const expiry = whenExpired(principal.expiresAt, () => closeNow(client, CLOSE.revoked, 'expired'));
      client.on('close', () => {
        this.#live.delete(client);
        clearTimeout(expiry);
      });
      this.#pings ??= setInterval(() => this.#ping(), PING_MS).unref();
      (DIALECTS[client.protocol] ?? speakFrames)(client, principal, this.#guardian, request);
    });
  }

  /** Closes the connections whose token is no longer valid. */
  closeRevoked(isValid: (id: string) => boolean): void {
    for (const [client, { principal }] of this.#live)
      if (!isValid(principal.id)) closeNow(client, CLOSE.revoked, 'revoked');
  }

  #ping(): void {
    for (const [client, state] of this.#live) {
      if (!state.isAlive) {
        client.terminate();
        continue;
      }
      state.isAlive = false;
      client.ping();
    }
    if (this.#live.size > 0 || !this.#pings) return;
    clearInterval(this.#pings);
    this.#pings = null;
  }
}

/** A client that does not read its close frame is cut off. */
function closeNow(client: WebSocket, code: number, reason: string): void {
  client.close(code, reason);
  setTimeout(() => client.terminate(), 500).unref();
}

function speakFrames(client: WebSocket, principal: Principal, guardian: Guardian): void {
  const link = guardian.open(principal, {
    onData(bytes) {
      client.send(bytes, resumeWhenSent);
      if (client.bufferedAmount > FULL_BYTES) link.pause();
    },
    onClose: () => closeNow(client, CLOSE.keeperGone, 'the daemon closed the connection'),
  });
  client.on('message', (data: Buffer, isBinary) => {
    try {
      if (!isBinary) throw new SpoolError('FRAME_INVALID', { reason: 'a text message; frames are binary' });
      link.send(data);
    } catch (error) {
      closeNow(client, CLOSE.invalid, toWireError(error).code);
      link.close();
    }
    if (link.bufferedBytes <= UNSENT_BYTES_MAX) return;
    client.pause();
    link.onDrain(() => client.resume());
  });
  client.on('close', () => link.close());

  function resumeWhenSent(): void {
    if (client.bufferedAmount <= FULL_BYTES) link.resume();
  }
}
