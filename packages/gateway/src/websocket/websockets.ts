/**
 * The WebSocket at `/ws`: the frames of the unix socket, over the network; with `?node=NODE`, those of a node. Each client has a
 * separate connection to the keeper, so that a slow one delays only itself: while more than one frame waits for it here, its
 * connection is not read. Keeps DOOR-13 and DOOR-26.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { OUTPUT_BYTES_MAX, SpoolError, toWireError } from '@spool/protocol';
import { type WebSocket, WebSocketServer } from 'ws';
import { speakAlis } from './alis.ts';
import { speakAttach } from './attach.ts';
import { speakEvents } from './events.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { HeldAccount, HeldBytes } from '../http/held-bytes.ts';
import type { FrameGate } from './guarded-link.ts';
import { MessageMeter } from './message-meter.ts';
import { sendNodeNews } from './node-news.ts';
import { nodeGate, nodeUserOf } from '../nodes/node-frames.ts';
import type { NodeRegistry } from '../nodes/registry.ts';
import type { Principal } from '../auth/principal.ts';

/** The maximum size of a message: the largest control frame with its header, and some room; `ws` allows 100 MiB by default. */
const MESSAGE_BYTES_MAX = 1024 * 1024 + 1024;

/** The size of one frame of output, and its header. */
const FULL_BYTES = OUTPUT_BYTES_MAX + 1024;

/**
 * The maximum of unsent bytes: above it, a client whose requests the keeper does not accept, or who does not read its answers, is
 * not read any further.
 */
const UNSENT_BYTES_MAX = 1024 * 1024;

/** The interval of pings. After two pings without an answer, a connection counts as dead: phones close theirs silently. */
const PING_MS = 30_000;

/** Our own close codes, from the range 4000 to 4999. */
const CLOSE = { revoked: 4001, keeperGone: 4002, invalid: 4003 } as const;

/** Handles a socket of a subprotocol; its client has been authenticated, and no message has been read. */
export type SubprotocolHandler = (
  socket: WebSocket,
  principal: Principal,
  gate: FrameGate,
  request: IncomingMessage,
  memory: SocketMemory,
) => void;

/** The memory of a socket, besides a frame for its client. */
interface SocketMemory {
  /** Notes the bytes of messages that the dialect has not handled yet. */
  waiting(bytes: number): void;
}

/** The handlers by subprotocol; without one, or with the first one, a client sends frames. */
const DIALECTS: Readonly<Record<string, SubprotocolHandler>> = {
  'spool.v1': speakFrames,
  'spool.attach.v1': speakAttach,
  'spool.events.v1': speakEvents,
  'v1.alis': speakAlis,
};

export class WebSockets {
  readonly #authenticator: Authenticator;
  readonly #held: HeldBytes;
  readonly #dialects: Readonly<Record<string, SubprotocolHandler>>;
  readonly #nodes: NodeRegistry;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES_MAX,
    autoPong: false,
    perMessageDeflate: false,
    handleProtocols: (offered) => [...offered].find((name) => Object.hasOwn(this.#dialects, name)) ?? false,
  });
  readonly #live = new Map<WebSocket, { isAlive: boolean }>();
  #pings: NodeJS.Timeout | null = null;

  /** `more`: dialects of other parts of the gateway. */
  constructor(
    authenticator: Authenticator,
    held: HeldBytes,
    nodes: NodeRegistry,
    more: Readonly<Record<string, SubprotocolHandler>> = {},
  ) {
    this.#dialects = { ...DIALECTS, ...more };
    this.#nodes = nodes;
    this.#held = held;
    this.#authenticator = authenticator;
  }

  get count(): number {
    return this.#live.size;
  }

  /** Accepts a socket that the origin check and the authenticator have admitted. Throws if too many are open. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, principal: Principal): void {
    const query = new URLSearchParams(request.url?.split('?')[1] ?? '');
    const node = query.get('node');
    const isNews = query.get('follow') === 'nodes';
    if (node !== null) nodeUserOf(principal); // a limited token is refused before anything is opened
    const gate = node === null ? this.#authenticator : nodeGate(this.#nodes, node);
    let opened: WebSocket | null = null;
    const over = this.#authenticator.activeRequests.open(principal, 'socket', (why) => {
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
        // A client that sends pings but reads no answers would fill the memory with them.
        if (client.bufferedAmount <= FULL_BYTES) client.pong(data);
      });
      client.on('error', () => {}); // `close` follows
      client.on('close', () => this.#live.delete(client));
      this.#pings ??= setInterval(() => this.#ping(), PING_MS).unref();
      const memory = makeMemory(
        client,
        socket,
        this.#held.open(principal, () => client.terminate()),
      );
      if (isNews) return sendNodeNews(client, principal, this.#nodes);
      (this.#dialects[client.protocol] ?? speakFrames)(client, principal, gate, request, memory);
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

/** Disconnects a client that does not read its close frame. */
function closeNow(client: WebSocket, code: number, reason: string): void {
  client.close(code, reason);
  setTimeout(() => client.terminate(), 500).unref();
}

/** Counts the bytes of incomplete messages, of waiting messages, and of unread data beyond one frame. */
function makeMemory(client: WebSocket, socket: Duplex, account: HeldAccount): SocketMemory {
  const meter = new MessageMeter();
  let waitingBytes = 0;
  const count = (): void =>
    account.set(meter.unfinishedBytes + waitingBytes + Math.max(0, client.bufferedAmount - FULL_BYTES));
  socket.on('data', (chunk: Uint8Array) => {
    meter.take(chunk);
    count();
  });
  socket.on('drain', count);
  client.on('close', () => account.end());
  return {
    waiting(bytes) {
      waitingBytes = bytes;
      count();
    },
  };
}

function speakFrames(
  client: WebSocket,
  principal: Principal,
  gate: FrameGate,
  _request: IncomingMessage,
  memory: SocketMemory,
): void {
  const link = gate.open(principal, {
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
    memory.waiting(link.bufferedBytes);
    if (mayAsk()) return;
    client.pause();
    link.onDrain(goOn);
  });
  client.on('close', () => link.close());
  /**
   * Returns whether a request may be read: the keeper is not behind with requests, and the client is not behind with answers, some
   * of which the guard sends itself.
   */
  function mayAsk(): boolean {
    return link.bufferedBytes <= UNSENT_BYTES_MAX && client.bufferedAmount <= UNSENT_BYTES_MAX;
  }
  function goOn(): void {
    memory.waiting(link.bufferedBytes);
    if (client.bufferedAmount <= FULL_BYTES) link.resume();
    if (client.isPaused && mayAsk()) client.resume();
  }
}
