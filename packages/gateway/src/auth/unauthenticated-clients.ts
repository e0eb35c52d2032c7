/**
 * Connections that have not sent a token yet. They are few and live for seconds, so that no one can use up the gateway's file
 * descriptors from outside. When there are too many, the oldest is closed: a client with a token sends it at once. Keeps DOOR-17.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface UnauthenticatedLimits {
  readonly countMax: number;
  readonly withinMs: number;
  /** The limit for an answer that needs no token, such as the page, on a slow line. */
  readonly answerMs: number;
}

const LIMITS: UnauthenticatedLimits = { countMax: 256, withinMs: 10_000, answerMs: 60_000 };

interface UnauthenticatedClient {
  readonly place: string;
  readonly socket: Socket;
  readonly since: number;
  timer: NodeJS.Timeout | undefined;
  answer: ServerResponse | null;
}

export class UnauthenticatedClients {
  readonly #limits: UnauthenticatedLimits;
  /**
   * The connections by address and port: with TLS, requests come over another socket than the accepted one. The oldest is first.
   */
  readonly #live = new Map<string, UnauthenticatedClient>();

  constructor(server: Server, limits: UnauthenticatedLimits = LIMITS) {
    this.#limits = limits;
    server.on('connection', (socket) => this.#meet(socket));
    server.on('request', (request, response) => {
      const client = this.#at(request.socket);
      if (client) client.answer = response;
    });
  }

  get count(): number {
    return this.#live.size;
  }

  /** Notes that a valid token came over this connection. */
  know({ socket }: Pick<IncomingMessage, 'socket'>): void {
    const client = this.#at(socket);
    if (client) this.#forget(client);
  }

  #at(socket: Socket): UnauthenticatedClient | undefined {
    const place = addressOf(socket);
    return place === null ? undefined : this.#live.get(place);
  }

  #meet(socket: Socket): void {
    const place = addressOf(socket);
    // The connection was reset before it was accepted: it has no address any more, and cannot send.
    if (place === null) return void socket.destroy();
    const before = this.#live.get(place);
    if (before) this.#leave(before); // the port is used again, so the earlier connection has ended
    const client: UnauthenticatedClient = { place, socket, since: performance.now(), timer: undefined, answer: null };
    this.#lookLater(client);
    this.#live.set(place, client);
    socket.once('close', () => this.#forget(client));
    if (this.#live.size > this.#limits.countMax) this.#leave(this.#live.values().next().value!);
  }

  #lookLater(client: UnauthenticatedClient): void {
    client.timer = setTimeout(() => this.#look(client), this.#limits.withinMs).unref();
  }

  #look(client: UnauthenticatedClient): void {
    const { answer, since } = client;
    const isAnswered = answer !== null && answer.headersSent && !answer.writableFinished;
    if (!isAnswered || performance.now() - since >= this.#limits.answerMs) this.#leave(client);
    else this.#lookLater(client);
  }

  #leave(client: UnauthenticatedClient): void {
    this.#forget(client);
    client.socket.destroy();
  }

  #forget(client: UnauthenticatedClient): void {
    clearTimeout(client.timer);
    if (this.#live.get(client.place) === client) this.#live.delete(client.place);
  }
}

/** Returns null once the connection has ended. */
function addressOf({ remoteAddress, remotePort }: Socket): string | null {
  return remoteAddress === undefined ? null : `${remoteAddress} ${remotePort}`;
}
