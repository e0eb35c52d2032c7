/**
 * Connections that have not shown a token yet. They are few and live for seconds, so that nobody can use up the gateway's file
 * descriptors from outside. When there are too many, the oldest has to go: whoever has a token shows it at once. Keeps DOOR-17.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface StrangerLimits {
  readonly countMax: number;
  readonly withinMs: number;
  /** For an answer that needs no token, such as the page, on a slow line. */
  readonly answerMs: number;
}

const LIMITS: StrangerLimits = { countMax: 256, withinMs: 10_000, answerMs: 60_000 };

interface Stranger {
  readonly socket: Socket;
  readonly since: number;
  timer: NodeJS.Timeout;
  answer: ServerResponse | null;
}

export class Strangers {
  readonly #limits: StrangerLimits;
  /** By address and port: with TLS, requests come over another socket than the one that was accepted. Oldest first. */
  readonly #live = new Map<string, Stranger>();

  constructor(server: Server, limits: StrangerLimits = LIMITS) {
    this.#limits = limits;
    server.on('connection', (socket) => this.#meet(socket));
    server.on('request', (request, response) => {
      const stranger = this.#live.get(placeOf(request.socket));
      if (stranger) stranger.answer = response;
    });
  }

  get count(): number {
    return this.#live.size;
  }

  /** A right token came over this connection. */
  know({ socket }: Pick<IncomingMessage, 'socket'>): void {
    this.#forget(placeOf(socket));
  }

  #meet(socket: Socket): void {
    const place = placeOf(socket);
    const timer = setTimeout(() => this.#look(place), this.#limits.withinMs).unref();
    this.#live.set(place, { socket, since: performance.now(), timer, answer: null });
    socket.once('close', () => {
      if (this.#live.get(place)?.socket === socket) this.#forget(place);
    });
    if (this.#live.size > this.#limits.countMax) this.#live.values().next().value!.socket.destroy();
  }

  #look(place: string): void {
    const { withinMs, answerMs } = this.#limits;
    const stranger = this.#live.get(place)!;
    const { answer, since, socket } = stranger;
    const isAnswered = answer !== null && answer.headersSent && !answer.writableFinished;
    if (!isAnswered || performance.now() - since >= answerMs) return void socket.destroy();
    stranger.timer = setTimeout(() => this.#look(place), withinMs).unref();
  }

  #forget(place: string): void {
    clearTimeout(this.#live.get(place)?.timer);
    this.#live.delete(place);
  }
}

function placeOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
