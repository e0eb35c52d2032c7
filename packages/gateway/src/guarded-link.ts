/**
 * A client's own connection to the keeper, with a guard in between: every frame from the client is looked at by itself, and
 * passed on only if the role of its token may send it. WebSockets, routes and other dialects all go through here. Keeps
 * DOOR-9.
 *
 * Nothing queues here: a client that does not read is not read for (`pause`), and its watchers wait in the log.
 */
import { connect, type Socket } from 'node:net';
import {
  decodeJson,
  encodeHeader,
  encodeJson,
  type Frame,
  FRAME_ROLES,
  FrameReader,
  FrameType,
  type Hello,
  mayDo,
  type Op,
  OP_ROLES,
  SpoolError,
  toWireError,
} from '@spool/protocol';
import { FrameBoundary } from './frame-boundary.ts';
import type { Principal } from './principal.ts';

const FRAME_NAMES = new Map(Object.entries(FrameType).map(([name, type]) => [type, name as keyof typeof FrameType]));

export interface GuardedLinkHandlers {
  /** Frames for the client, whole or in parts: a stream of bytes. */
  onData(bytes: Uint8Array): void;
  /** Called once. */
  onClose(): void;
}

export class GuardedLink {
  readonly #principal: Principal;
  readonly #handlers: GuardedLinkHandlers;
  readonly #socket: Socket;
  readonly #reader = new FrameReader();
  readonly #boundary = new FrameBoundary();
  /** Our own answers, which must not stand in the middle of one of the keeper's frames. */
  readonly #answers: Uint8Array[] = [];

  constructor(socketPath: string, principal: Principal, handlers: GuardedLinkHandlers) {
    this.#principal = principal;
    this.#handlers = handlers;
    this.#socket = connect(socketPath)
      .on('data', (bytes: Uint8Array) => {
        this.#boundary.pass(bytes);
        handlers.onData(bytes);
        this.#sendAnswers();
      })
      .on('error', () => {}) // `close` follows
      .on('close', () => handlers.onClose());
  }

  /** Bytes from the client; must not change afterwards. Throws a typed error when they are no frames. */
  send(bytes: Uint8Array): void {
    this.#reader.push(bytes, (frame) => this.#take(frame));
  }

  get bufferedBytes(): number {
    return this.#socket.writableLength;
  }

  /** Resolves when the keeper has taken what was sent. */
  onDrain(drained: () => void): void {
    this.#socket.once('drain', drained);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(frame: Frame): void {
    const name = FRAME_NAMES.get(frame.type)!;
    const needed = FRAME_ROLES[name];
    if (needed === 'daemon')
      throw new SpoolError('FRAME_INVALID', { type: frame.type, reason: 'only a daemon may send it' });
    if (!mayDo(this.#principal.role, needed)) return this.#refuse(frame.channel, name, needed);
    if (frame.type === FrameType.hello) return this.#hello(frame);
    if (frame.type === FrameType.request) return this.#request(frame);
    this.#pass(frame);
  }

  /** The name comes from the token. */
  #hello(frame: Frame): void {
    const hello = Object(decodeJson(frame.payload)) as Hello;
    this.#socket.write(encodeJson(FrameType.hello, 0, { ...hello, who: this.#principal.name }));
  }

  #request(frame: Frame): void {
    const request = Object(decodeJson(frame.payload)) as { op?: unknown };
    const op = String(request.op);
    // An op that this version does not know may do anything.
    if (!Object.hasOwn(OP_ROLES, op))
      return this.#fail(frame.channel, new SpoolError('REQUEST_UNKNOWN', { op: op.slice(0, 40) }));
    const needed = OP_ROLES[op as Op];
    if (!mayDo(this.#principal.role, needed)) return this.#refuse(frame.channel, op, needed);
    if (op === 'attach' && !mayDo(this.#principal.role, FRAME_ROLES.input))
      return this.#write(frame, Buffer.from(JSON.stringify({ ...request, isReadOnly: true, takeover: false })));
    this.#pass(frame);
  }

  #pass(frame: Frame): void {
    this.#write(frame, frame.payload);
  }

  #write({ type, flags, channel, offset }: Frame, payload: Uint8Array): void {
    this.#socket.cork();
    this.#socket.write(encodeHeader(type, flags, channel, offset, payload.length));
    if (payload.length > 0) this.#socket.write(payload);
    process.nextTick(() => this.#socket.uncork());
  }

  #refuse(channel: number, what: string, needed: string): void {
    this.#fail(channel, new SpoolError('ROLE_TOO_LOW', { what, role: this.#principal.role, needed }));
  }

  #fail(channel: number, error: SpoolError): void {
    this.#answers.push(encodeJson(FrameType.error, channel, toWireError(error)));
    this.#sendAnswers();
  }

  #sendAnswers(): void {
    if (this.#boundary.isReached) for (const answer of this.#answers.splice(0)) this.#handlers.onData(answer);
  }
}
