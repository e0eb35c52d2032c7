/**
 * The common part of the dialects: a socket that is written one message at a time, so that a slow client costs one message and its
 * credit, and a client of the daemon with the rights of the token. Keeps REM-7: dialects pass through the same guard as frames.
 */
import type { IncomingMessage } from 'node:http';
import type { Client } from '@spool/client';
import { ERROR_CODES, SpoolError, toWireError } from '@spool/protocol';
import type { WebSocket } from 'ws';
import { guardedClient } from './guarded-client.ts';
import type { FrameGate } from './guarded-link.ts';
import type { Principal } from '../auth/principal.ts';

/** Our own close code, as in `websockets.ts`. */
const CLOSE_INVALID = 4003;
const CLOSE_NORMAL = 1000;

/** The maximum length of a reason, which may have 123 bytes. */
const REASON_CHARACTERS_MAX = 100;

/** The maximum size of a message from a client: the keys of a paste, or a request. */
const MESSAGE_BYTES_MAX = 64 * 1024;

export class SubprotocolClient {
  readonly #socket: WebSocket;
  readonly client: Client;
  readonly query: URLSearchParams;
  readonly #over = new AbortController();

  constructor(socket: WebSocket, principal: Principal, gate: FrameGate, request: IncomingMessage) {
    this.#socket = socket;
    this.client = guardedClient(gate, principal);
    this.query = new URLSearchParams(request.url?.split('?')[1] ?? '');
    socket.on('close', () => this.#end());
  }

  /** The signal that is aborted when the socket is closed. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Calls `take` for each message, one after the other; a failure ends the socket. */
  listen(take: (data: Buffer) => Promise<void> | void): void {
    let queue = Promise.resolve();
    this.#socket.on('message', (data: Buffer) => {
      if (data.length > MESSAGE_BYTES_MAX)
        return this.fail(new SpoolError('FRAME_TOO_LARGE', { bytes: data.length, most: MESSAGE_BYTES_MAX }));
      this.#socket.pause();
      queue = queue
        .then(() => take(data))
        .catch((error: unknown) => this.fail(error))
        .finally(() => this.#socket.resume());
    });
  }

  /** Resolves when the network has accepted the message. */
  send(data: string | Uint8Array): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.send(data, () => resolve()); // `close` follows an error
    return promise;
  }

  sendJson(message: object): Promise<void> {
    return this.send(JSON.stringify(message));
  }

  /** Runs to the end of the stream; an error is reported to the client by the code of the close. */
  async speak(stream: () => Promise<void>): Promise<void> {
    try {
      await stream();
      this.close();
    } catch (error) {
      if (!this.signal.aborted) this.fail(error);
    }
  }

  fail(error: unknown): void {
    const { code } = toWireError(error);
    this.#socket.close(CLOSE_INVALID, `${code}: ${ERROR_CODES[code] ?? ''}`.slice(0, REASON_CHARACTERS_MAX));
    this.#end();
  }

  close(): void {
    this.#socket.close(CLOSE_NORMAL);
    this.#end();
  }

  #end(): void {
    this.#over.abort();
    this.client.close();
  }
}

/** Parses a message of a client as an object; refuses anything else. */
export function parseMessage(data: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(data.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // not JSON: refused below
  }
  throw new SpoolError('REQUEST_INVALID', { reason: 'a message must be a JSON object' });
}
