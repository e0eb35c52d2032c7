/**
 * A client's own connection to the keeper, with a guard in between: every frame from the client is examined by itself, and passed
 * on only if the role of its token may send it. WebSockets, routes and other dialects all use it. Keeps DOOR-9 and DOOR-46.
 *
 * It has no queue: while a client does not read, the keeper is not read either (`pause`), and its watchers wait in the log.
 */
import { connect, type Socket } from 'node:net';
import {
  decodeInput,
  decodeJson,
  encodeHeader,
  encodeInput,
  encodeJson,
  type Frame,
  FRAME_ROLES,
  FrameFlag,
  FrameReader,
  FrameType,
  HEADER_BYTES,
  type Hello,
  mayDo,
  SpoolError,
  toWireError,
} from '@spool/protocol';
import { answerNote, screenAnswerNote } from '../auth/answer-note.ts';
import type { Auditor } from '../auth/auditor.ts';
import { FrameBoundary } from './frame-boundary.ts';
import { Answers } from '../auth/guard/answers.ts';
import { mayKnowAll } from '../auth/guard/redaction.ts';
import { tooLow } from '../auth/guard/refusal.ts';
import { checkRole, isRecorded, type Request, rewriteForRole, rewriteForScope } from '../auth/guard/requests.ts';
import { type Directory, Scope } from '../auth/guard/scope.ts';
import type { Principal } from '../auth/principal.ts';
import type { TokenCache } from '../auth/token-cache.ts';

const FRAME_NAMES = new Map(Object.entries(FrameType).map(([name, type]) => [type, name as keyof typeof FrameType]));

/** The refusals that are recorded: others say nothing about what a client may do. */
const ABOUT_RIGHTS: ReadonlySet<string> = new Set(['ROLE_TOO_LOW', 'NOT_ALLOWED', 'TOKEN_REFUSED']);

/** The maximum of sessions per client in the audit log. */
const TYPED_INTO_MAX = 1000;

export interface GuardedLinkOptions {
  readonly directory: Directory;
  readonly auditor: Auditor;
  readonly tokenCache: TokenCache;
}

export interface GuardedLinkHandlers {
  /** Called with frames for the client, whole or in parts: a stream of bytes. */
  onData(bytes: Uint8Array): void;
  /** Called once. */
  onClose(): void;
}

/** A link that carries frames of one client: to the keeper, or to a node. */
export type FrameLink = Pick<GuardedLink, 'send' | 'bufferedBytes' | 'onDrain' | 'pause' | 'resume' | 'close'>;

/** Opens links for clients. */
export interface FrameGate {
  open(principal: Principal, handlers: GuardedLinkHandlers): FrameLink;
}

export class GuardedLink {
  readonly #principal: Principal;
  readonly #handlers: GuardedLinkHandlers;
  readonly #auditor: Auditor;
  readonly #directory: Directory;
  readonly #tokenCache: TokenCache;
  /** Sessions into which this client has typed: each is recorded once in the audit log. */
  readonly #typedInto = new Set<string>();
  readonly #socket: Socket;
  readonly #reader = new FrameReader();
  readonly #scope: Scope;
  /** The filter for clients that may not see everything; others get the keeper's bytes unchanged. */
  readonly #answers: Answers | null;
  readonly #boundary = new FrameBoundary();
  /** Our own answers, which must not be sent in the middle of one of the keeper's frames. */
  readonly #own: Uint8Array[] = [];
  /** The last frame of a limited client; they are handled in order, because each may need a lookup first. */
  #inOrder: Promise<unknown> = Promise.resolve();
  #lookedUpBytes = 0;

  constructor(
    socketPath: string,
    principal: Principal,
    { directory, auditor, tokenCache }: GuardedLinkOptions,
    handlers: GuardedLinkHandlers,
  ) {
    this.#auditor = auditor;
    this.#directory = directory;
    this.#tokenCache = tokenCache;
    this.#principal = principal;
    this.#handlers = handlers;
    this.#scope = new Scope(principal.scope, directory);
    this.#answers =
      this.#scope.isLimited || !mayKnowAll(principal.role)
        ? new Answers(principal.role, this.#scope, (channel, offset) =>
            this.#socket.write(encodeHeader(FrameType.credit, 0, channel, offset, 0)),
          )
        : null;
    const fromKeeper = new FrameReader();
    this.#socket = connect(socketPath)
      .on('data', (bytes: Uint8Array) => {
        if (this.#answers === null) {
          this.#boundary.pass(bytes);
          handlers.onData(bytes);
          return this.#sendOwn();
        }
        fromKeeper.push(bytes, (frame) => {
          for (const allowed of this.#answers!.filter(frame)) handlers.onData(allowed);
        });
      })
      .on('error', () => {}) // `close` follows
      .on('close', () => handlers.onClose());
  }

  /** Takes bytes from the client, which must not change afterwards. Throws a typed error if they are not frames. */
  send(bytes: Uint8Array): void {
    this.#reader.push(bytes, (frame) => this.#take(frame));
  }

  get bufferedBytes(): number {
    return this.#socket.writableLength + this.#lookedUpBytes;
  }

  /** Calls back when the keeper has accepted the sent bytes. */
  onDrain(drained: () => void): void {
    void this.#inOrder.then(() => {
      if (this.#socket.writableNeedDrain && !this.#socket.destroyed) this.#socket.once('drain', drained);
      else drained();
    });
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
    // A connection is closed a moment after its token was revoked; frames that arrive in that moment are refused.
    if (frame.type !== FrameType.credit && !this.#isValid()) throw new SpoolError('TOKEN_REFUSED');
    if (!mayDo(this.#principal.role, needed)) return this.#refuse(frame, tooLow(name, this.#principal.role, needed));
    if (this.#scope.isLimited) return this.#afterOthers(frame, () => this.#takeLimited(frame));
    // Frames after a frame that is looked up must wait for it.
    if (this.#lookedUpBytes > 0) return this.#afterOthers(frame, () => this.#takeNow(frame));
    this.#takeNow(frame);
  }

  #afterOthers(frame: Frame, take: () => Promise<void> | void): void {
    const bytes = HEADER_BYTES + frame.payload.length;
    this.#lookedUpBytes += bytes;
    this.#inOrder = this.#inOrder
      .then(take)
      .catch((error: unknown) => this.#refuse(frame, error))
      .finally(() => (this.#lookedUpBytes -= bytes));
  }

  #isValid(): boolean {
    return this.#principal.link !== undefined || this.#tokenCache.get(this.#principal.id) !== null;
  }

  #takeNow(frame: Frame): void {
    if (frame.type === FrameType.hello) return this.#hello(frame);
    if (frame.type === FrameType.input) this.#typing(decodeInput(frame.payload).session);
    if (frame.type !== FrameType.request) return this.#write(frame, frame.payload);
    try {
      const request = checkRole(this.#principal.role, false, Object(decodeJson(frame.payload)) as object as never);
      const rewritten = rewriteForRole(this.#principal.role, request);
      if (rewritten.op === 'command') return this.#afterOthers(frame, () => this.#passCommand(frame, rewritten));
      this.#passing(frame.channel, request, rewritten);
      this.#write(frame, rewritten === request ? frame.payload : jsonBytes(rewritten));
    } catch (error) {
      this.#refuse(frame, error);
    }
  }

  async #takeLimited(frame: Frame): Promise<void> {
    const { role } = this.#principal;
    if (frame.type === FrameType.hello) return this.#hello(frame);
    if (frame.type === FrameType.input && (frame.flags & FrameFlag.typed) === 0) {
      const { session, bytes } = decodeInput(frame.payload);
      this.#typing(session);
      return this.#write(frame, encodeInput(await this.#scope.resolve(session), bytes));
    }
    if (frame.type !== FrameType.request) return this.#write(frame, frame.payload);
    const request = checkRole(role, true, Object(decodeJson(frame.payload)) as object as never);
    const rewritten = await rewriteForScope(this.#scope, rewriteForRole(role, request));
    if (rewritten.op === 'command') return await this.#passCommand(frame, rewritten);
    this.#passing(frame.channel, request, rewritten);
    this.#write(frame, jsonBytes(rewritten));
  }

  /** Passes a command on; for an answer, its request is looked up while it is still pending. */
  async #passCommand(frame: Frame, request: Request): Promise<void> {
    const session = String(request['session'] ?? '').slice(0, 200);
    const note = await answerNote(this.#directory, session, request['command']);
    if (!this.#isValid()) throw new SpoolError('TOKEN_REFUSED');
    this.#answers?.expect(frame.channel, request);
    this.#auditor.record(this.#principal, 'command', { session, note });
    this.#write(frame, jsonBytes(request));
  }

  #passing(channel: number, asked: Request, request: Request): void {
    this.#answers?.expect(channel, asked);
    if (!isRecorded(request.op)) return;
    const session = String(request['session'] ?? request['id'] ?? '').slice(0, 200);
    if (request.op === 'attach') this.#auditor.recordOften(this.#principal, 'attach', { session });
    else this.#auditor.record(this.#principal, request.op, { session, ...screenAnswerNote(request) });
  }

  #typing(session: string): void {
    if (this.#typedInto.has(session) || this.#typedInto.size >= TYPED_INTO_MAX) return;
    this.#typedInto.add(session);
    this.#auditor.record(this.#principal, 'input', { session: session.slice(0, 200) });
  }

  /** Replaces the name and the reading rights by those of the token. */
  #hello(frame: Frame): void {
    const hello = Object(decodeJson(frame.payload)) as Hello;
    const { name: who, role } = this.#principal;
    this.#socket.write(encodeJson(FrameType.hello, 0, { ...hello, who, mayReadWires: mayKnowAll(role) }));
  }

  #write({ type, flags, channel, offset }: Frame, payload: Uint8Array): void {
    this.#socket.cork();
    this.#socket.write(encodeHeader(type, flags, channel, offset, payload.length));
    if (payload.length > 0) this.#socket.write(payload);
    process.nextTick(() => this.#socket.uncork());
  }

  /** Answers a frame that is not passed on, and records it if the rights do not suffice. */
  #refuse({ type, channel, payload }: Frame, error: unknown): void {
    const wireError = toWireError(error);
    this.#own.push(encodeJson(FrameType.error, channel, wireError));
    this.#sendOwn();
    if (!ABOUT_RIGHTS.has(wireError.code)) return;
    const { what, session } = askedIn(type, payload);
    this.#auditor.recordRefusal(this.#principal, `${what}: ${wireError.code}`, session);
  }

  #sendOwn(): void {
    if (this.#boundary.isReached) for (const answer of this.#own.splice(0)) this.#handlers.onData(answer);
  }
}

/** Returns what a frame asks for, and the session that it names. */
function askedIn(type: FrameType, payload: Uint8Array): { readonly what: string; readonly session: string } {
  try {
    if (type === FrameType.input) return { what: 'input', session: decodeInput(payload).session };
    const { op, session, id } = Object(type === FrameType.request ? decodeJson(payload) : {}) as Partial<Request>;
    return { what: String(op ?? FRAME_NAMES.get(type)).slice(0, 40), session: String(session ?? id ?? '') };
  } catch {
    return { what: String(FRAME_NAMES.get(type)), session: '' }; // its content is not valid either
  }
}

function jsonBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
