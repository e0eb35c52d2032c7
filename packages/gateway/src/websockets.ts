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
import type { Guardian } from './guardian.ts';
import type { Principal } from './principal.ts';

/** The largest control frame with its header, and some room; `ws` allows 100 MiB by default. */
const MESSAGE_BYTES_MAX = 1024 * 1024 + 1024;

/** One frame of output, and its header. */
const FULL_BYTES = OUTPUT_BYTES_MAX + 1024;

/** A client whose requests the keeper does not take, or who does not take its answers, is not read any further. */
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
    autoPong: false,
    perMessageDeflate: false,
    handleProtocols: (offered) => [...offered].find((name) => Object.hasOwn(DIALECTS, name)) ?? false,
  });
  readonly #live = new Map<WebSocket, { isAlive: boolean }>();
  #pings: NodeJS.Timeout | null = null;

  constructor(guardian: Guardian) {
    this.#guardian = guardian;
  }

  get count(): number {
    return this.#live.size;
  }

  /** The front door and the guardian have let it in. Throws if too many are open. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, principal: Principal): void {
    let opened: WebSocket | null = null;
    const over = this.#guardian.visits.open(principal, 'socket', (why) => {
      if (opened) closeNow(opened, CLOSE.revoked, why);
      else socket.destroy();
    });
    socket.once('close', over);
    this.#server.handleUpgrade(request, socket, head, (client) => {
      opened = client;
      const state = { isAlive: true };
      this.#live.set(client, state);
      client.on('pong', () => (state.isAlive = true));
      client.on('ping', (data) => {
        // One that sends pings and reads no answers would fill the memory with them.
        if (client.bufferedAmount <= FULL_BYTES) client.pong(data);
      });
      client.on('error', () => {}); // `close` follows
      client.on('close', () => this.#live.delete(client));
      this.#pings ??= setInterval(() => this.#ping(), PING_MS).unref();
      (DIALECTS[client.protocol] ?? speakFrames)(client, principal, this.#guardian, request);
    });
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
      client.send(bytes, goOn);
      if (client.bufferedAmount > FULL_BYTES) link.pause();
    },
    onClose: () => closeNow(client, CLOSE.keeperGone, 'the daemon closed the connection'),
  });
  client.on('message', (data: Buffer, isBinary) => {
    try {
      if (!isBinary) throw new SpoolError('FRAME_INVALID', { reason: 'a text message; frames are binary' });
      link.send(data);
    } catch (error) {
      const { code } = toWireError(error);
      closeNow(client, code === 'TOKEN_REFUSED' ? CLOSE.revoked : CLOSE.invalid, code);
      link.close();
    }
    if (mayAsk()) return;
    client.pause();
    link.onDrain(goOn);
  });
  client.on('close', () => link.close());
  /** Neither does the keeper lag behind with requests, nor the client with answers, of which the guard gives some by itself. */
  function mayAsk(): boolean {
    return link.bufferedBytes <= UNSENT_BYTES_MAX && client.bufferedAmount <= UNSENT_BYTES_MAX;
  }
  function goOn(): void {
    if (client.bufferedAmount <= FULL_BYTES) link.resume();
    if (client.isPaused && mayAsk()) client.resume();
  }
}
