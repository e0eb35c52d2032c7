/**
 * One client: frames in, frames out. Nothing queues here without a bound: the daemon stops reading from a client that
 * does not read, and its watchers wait in the log. Keeps SLOW-2, WIRE-2 and WIRE-3.
 */
import type { FdWatch } from '@spool/native/fd-watch';
import { FdSocket } from '@spool/native/fd-socket';
import {
  type DaemonEvent,
  decodeInput,
  decodeJson,
  encodeFrame,
  encodeFrames,
  encodeHeader,
  encodeJson,
  type Frame,
  FrameFlag,
  FrameReader,
  FrameType,
  type Hello,
  inputFrom,
  JOINED_BYTES_MAX,
  PROTOCOL_VERSION,
  SpoolError,
  toWireError,
  VERSION,
} from '@spool/protocol';
import type { LogWatcher } from './watcher.ts';

/** Room for one frame in flight while the next is being read from the log. */
const FULL_BYTES = 128 * 1024;

/**
 * Acknowledgements of input wait this long. The child's reaction to the input mostly comes within this time; sent in
 * one message with it, the client wakes up once instead of twice.
 */
const SOON_MS = 1;

/** A client that sends requests but does not read the answers is not read any further. */
const ANSWERS_BYTES_MAX = 1024 * 1024;

/** The answer to a request that returns no data: `{}`. */
const DONE = Buffer.from('{}');

const HELLO_WITHIN_MS = 10_000;

/** A refused client keeps an fd for at most this long. */
const REFUSED_HELLO_WITHIN_MS = 500;

const WHO_CHARACTERS_MAX = 100;

export interface ConnectionHandlers {
  /**
   * Returns the answer, or undefined when it follows later (`reply`). Throws, or rejects with, the error that the
   * client gets.
   */
  onRequest(connection: Connection, channel: number, request: unknown): unknown;
  onInput(connection: Connection, session: string, bytes: Uint8Array): Promise<void>;
  onClose(connection: Connection): void;
}

export class Connection {
  /** By the channel of the request that started them. */
  readonly watchers = new Map<number, LogWatcher>();
  /** The channels that receive daemon events, each with its filter. */
  readonly feeds = new Map<number, (event: DaemonEvent) => boolean>();
  /** Cancels whatever else waits on a channel. */
  readonly waits = new Map<number, () => void>();
  /** The name that the client gave itself. */
  who = 'a client';
  /** Whether it may read the output of agents without a terminal, see `Hello`. */
  mayReadWires = true;
  /** It is the driver of this session, and may do nothing else; null for a client. */
  driverOf: string | null = null;
  readonly #socket: FdSocket;
  readonly #handlers: ConnectionHandlers;
  readonly #refusal: SpoolError | null;
  readonly #helloTimer: NodeJS.Timeout;
  readonly #reader = new FrameReader();
  readonly #waiting = new Set<LogWatcher>();
  /** Feeds that missed an event. */
  readonly #missing = new Set<number>();
  #hasSaidHello = false;
  /** The last of the questions that are answered one after the other. */
  #inTurn: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  readonly #soon: Uint8Array[] = [];
  #soonTimer: NodeJS.Timeout | null = null;

  /** Takes over `fd`. A refused client gets the error after its hello: it may not listen before that. */
  constructor(watch: FdWatch, fd: number, handlers: ConnectionHandlers, refusal: SpoolError | null = null) {
    this.#handlers = handlers;
    this.#refusal = refusal;
    this.#helloTimer = setTimeout(
      () => this.#refuse(refusal ?? new SpoolError('HELLO_EXPECTED')),
      refusal ? REFUSED_HELLO_WITHIN_MS : HELLO_WITHIN_MS,
    );
    this.#socket = new FdSocket(watch, fd, {
      onData: (bytes) => this.#take(bytes),
      onDrain: () => this.#drained(),
      onClose: () => this.#closed(),
    });
  }

  get isFull(): boolean {
    return this.#socket.waitingBytes > FULL_BYTES;
  }

  close(): void {
    this.#socket.close();
  }

  /**
   * For questions that take a while: one of each client at a time, so that a client that asks for many of them delays itself
   * and no other one. What a client has left behind is not asked.
   */
  inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const asked = this.#inTurn.then(() => {
      if (this.#isClosed) throw new SpoolError('CONNECTION_LOST');
      return ask();
    });
    this.#inTurn = asked.catch(() => {});
    return asked;
  }

  isWaiting(watcher: LogWatcher): boolean {
    return this.#waiting.has(watcher);
  }

  /** `watcher` continues when the client has read. */
  wait(watcher: LogWatcher): void {
    this.#waiting.add(watcher);
  }

  forget(watcher: LogWatcher): void {
    this.#waiting.delete(watcher);
    this.watchers.delete(watcher.channel);
  }

  json(type: FrameType, channel: number, value: unknown): void {
    this.#write(encodeJson(type, channel, value));
  }

  /** Sent with the next output, or a moment later: for frames that are not urgent. */
  soon(frame: Uint8Array): void {
    this.#soon.push(frame);
    this.#soonTimer ??= setTimeout(() => this.#flushSoon(), SOON_MS);
  }

  reply(channel: number, answer: unknown): void {
    this.replyJson(channel, JSON.stringify(answer));
  }

  /** The answer, already serialized. */
  replyJson(channel: number, answer: string): void {
    const payload = Buffer.from(answer);
    if (payload.length > JOINED_BYTES_MAX)
      this.fail(channel, new SpoolError('ANSWER_TOO_LARGE', { bytes: payload.length }));
    else for (const frame of encodeFrames(FrameType.reply, channel, payload)) this.#write(frame);
  }

  /** Sends an event. A client that does not read gets none until it reads again, and then a notice that some are missing. */
  event(channel: number, event: DaemonEvent): void {
    if (this.isFull) this.#missing.add(channel);
    else this.json(FrameType.event, channel, event);
  }

  fail(channel: number, error: unknown): void {
    this.json(FrameType.error, channel, toWireError(error));
  }

  /** The payload is shared with other watchers: it is not copied, and must not change. */
  output(channel: number, flags: number, offset: number, bytes: Uint8Array): void {
    if (this.#soonTimer) this.#flushSoon();
    this.#socket.write(encodeHeader(FrameType.output, flags, channel, offset, bytes.length));
    this.#socket.write(bytes);
  }

  snapshot(channel: number, offset: number, bytes: Uint8Array): void {
    for (const frame of encodeFrames(FrameType.snapshot, channel, bytes, offset)) this.#write(frame);
  }

  #write(bytes: Uint8Array): void {
    this.#socket.write(bytes);
    if (this.#socket.waitingBytes > ANSWERS_BYTES_MAX) this.#socket.pause();
  }

  #closed(): void {
    this.#isClosed = true;
    clearTimeout(this.#helloTimer);
    if (this.#soonTimer) clearTimeout(this.#soonTimer);
    for (const watcher of [...this.watchers.values()]) watcher.close();
    for (const forget of this.waits.values()) forget();
    this.#handlers.onClose(this);
  }

  #drained(): void {
    this.#socket.resume();
    if (this.#missing.size === 0 && this.#waiting.size === 0) return;
    for (const channel of this.#missing)
      this.json(FrameType.event, channel, { type: 'events-missed', at: Date.now(), reason: 'slow-reader' });
    this.#missing.clear();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const watcher of waiting) watcher.pump();
  }

  #take(chunk: Uint8Array): void {
    try {
      this.#reader.push(chunk, (frame) => this.#handle(frame));
    } catch (error) {
      this.#refuse(error);
    }
  }

  #handle(frame: Frame): void {
    if (!this.#hasSaidHello) return this.#hello(frame);
    switch (frame.type) {
      case FrameType.request:
        return this.#answer(frame.channel, () =>
          this.#handlers.onRequest(this, frame.channel, decodeJson(frame.payload)),
        );
      case FrameType.input:
        return this.#input(frame);
      case FrameType.credit:
        this.watchers.get(frame.channel)?.grant(frame.offset);
        return;
      default:
        throw new SpoolError('FRAME_INVALID', { type: frame.type, reason: 'only a daemon may send it' });
    }
  }

  #input(frame: Frame): void {
    const { channel, payload } = frame;
    if (frame.flags & FrameFlag.typed)
      return this.watchers.get(channel)?.typed(frame.offset, payload.subarray(inputFrom(payload)));
    const { session, bytes } = decodeInput(payload);
    this.#handlers.onInput(this, session, bytes).then(
      () => this.soon(encodeFrame(FrameType.reply, channel, DONE)),
      (error) => this.fail(channel, error),
    );
  }

  #flushSoon(): void {
    if (this.#soonTimer) clearTimeout(this.#soonTimer);
    this.#soonTimer = null;
    for (const frame of this.#soon.splice(0)) this.#write(frame);
  }

  #hello(frame: Frame): void {
    if (frame.type !== FrameType.hello) throw new SpoolError('HELLO_EXPECTED', { type: frame.type });
    if (this.#refusal) throw this.#refusal;
    const hello = decodeJson(frame.payload) as Partial<Hello> | null;
    if (hello?.protocol !== PROTOCOL_VERSION) {
      throw new SpoolError('VERSION_UNSUPPORTED', { client: Number(hello?.protocol) || 0, daemon: PROTOCOL_VERSION });
    }
    this.#hasSaidHello = true;
    if (typeof hello.who === 'string' && hello.who !== '') this.who = hello.who.slice(0, WHO_CHARACTERS_MAX);
    this.mayReadWires = hello.mayReadWires !== false;
    clearTimeout(this.#helloTimer);
    this.json(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: VERSION } satisfies Hello);
  }

  #answer(channel: number, ask: () => unknown): void {
    let answer: unknown;
    try {
      answer = ask();
    } catch (error) {
      return this.fail(channel, error);
    }
    if (answer instanceof Promise) {
      answer.then(
        (value) => value !== undefined && this.reply(channel, value),
        (error) => this.fail(channel, error),
      );
    } else if (answer !== undefined) {
      this.reply(channel, answer);
    }
  }

  /** The client sent something unreadable: sends the reason, and closes. */
  #refuse(error: unknown): void {
    this.fail(0, error);
    this.#socket.end();
  }
}
