/**
 * The connection of one client: reads and writes frames. Every queue here has a bound: the daemon stops reading from a client
 * that does not read, and its watchers wait in the log. Keeps SLOW-2, WIRE-2 and WIRE-3.
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
  HEADER_BYTES,
  type Hello,
  inputFrom,
  JOINED_BYTES_MAX,
  chooseProtocol,
  PROTOCOL_VERSION,
  SpoolError,
  toWireError,
  VERSION,
} from '@spool/protocol';
import type { Watcher } from '../viewers/watcher.ts';

/** The room for the next frame, which is read from the log while one is in flight. */
const FULL_BYTES = 128 * 1024;

/**
 * The delay of acknowledgements of input. The child's reaction to the input usually comes within this time; sent in the same
 * message, it wakes up the client once instead of twice.
 */
const SOON_MS = 1;

/** The limit for answers that a client has not read: above it, its requests are not read. */
const ANSWERS_BYTES_MAX = 1024 * 1024;

/** The answer to a request that returns no data: `{}`. */
const DONE = Buffer.from('{}');

const HELLO_WITHIN_MS = 10_000;

/**
 * The time limit for a driver's hello. A driver is started only after its socket was created, and at a load of 48 Node alone took
 * more than 10 s to load. With a shorter limit, drivers were refused and started again, all at once, which kept the load up.
 */
const DRIVER_HELLO_WITHIN_MS = 120_000;

/** A refused client keeps an fd for at most this long. */
const REFUSED_HELLO_WITHIN_MS = 500;

const WHO_CHARACTERS_MAX = 100;
const VERSION_CHARACTERS_MAX = 40;

export interface ConnectionHandlers {
  /** Returns the answer, or undefined if it follows later (`reply`). Throws, or rejects with, the error for the client. */
  onRequest(connection: ClientConnection, channel: number, request: unknown): unknown;
  onInput(connection: ClientConnection, session: string, bytes: Uint8Array): Promise<void>;
  onClose(connection: ClientConnection): void;
}

export class ClientConnection {
  /** The watchers, by the channel of the request that started them. */
  readonly watchers = new Map<number, Watcher>();
  /** The channels that receive daemon events, each with its filter. */
  readonly feeds = new Map<number, (event: DaemonEvent) => boolean>();
  /** Functions that cancel other waits, by channel. */
  readonly waits = new Map<number, () => void>();
  /** The name that the client gave itself. */
  who = 'a client';
  /** Whether the client may read the output of agents without a terminal, see `Hello`. */
  mayReadWires = true;
  /** The version of the client; undefined before its hello. */
  version: string | undefined;
  /** The session of which this connection is the driver, with no other rights; null for a client. */
  readonly driverOf: string | null;
  /** Called for all data from the peer. */
  onHeard: (() => void) | null = null;
  /** Called when a piece of a log is sent to the peer. */
  onOutput: (() => void) | null = null;
  readonly #socket: FdSocket;
  readonly #handlers: ConnectionHandlers;
  readonly #refusal: SpoolError | null;
  readonly #helloTimer: NodeJS.Timeout;
  readonly #reader = new FrameReader();
  readonly #waiting = new Set<Watcher>();
  /** Feeds that missed an event. */
  readonly #missing = new Set<number>();
  #hasSaidHello = false;
  /** The last of the requests that are answered one after the other. */
  #inTurn: Promise<unknown> = Promise.resolve();
  /** Aborted when the client has left. */
  readonly #left = new AbortController();
  readonly #soon: Uint8Array[] = [];
  #soonTimer: NodeJS.Timeout | null = null;

  /**
   * Takes over `fd`. A refused client gets the error after its hello, because it may not listen earlier. `driverOf`: the session,
   * if the client is a driver.
   */
  constructor(
    watch: FdWatch,
    fd: number,
    handlers: ConnectionHandlers,
    {
      refusal = null,
      driverOf = null,
    }: { readonly refusal?: SpoolError | null; readonly driverOf?: string | null } = {},
  ) {
    this.#handlers = handlers;
    this.#refusal = refusal;
    this.driverOf = driverOf;
    const refuse = (): void => this.#refuse(refusal ?? new SpoolError('HELLO_EXPECTED'));
    const withinMs = driverOf === null ? HELLO_WITHIN_MS : DRIVER_HELLO_WITHIN_MS;
    this.#helloTimer = setTimeout(refuse, refusal ? REFUSED_HELLO_WITHIN_MS : withinMs);
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
   * Runs slow requests one at a time for each client, so that a client with many of them delays only itself. Requests that a client
   * has abandoned are not run; the running one gets a signal when the client leaves.
   */
  inTurn<T>(ask: (left: AbortSignal) => Promise<T>): Promise<T> {
    const asked = this.#inTurn.then(() => {
      if (this.#left.signal.aborted) throw new SpoolError('CONNECTION_LOST');
      return ask(this.#left.signal);
    });
    this.#inTurn = asked.catch(() => {});
    return asked;
  }

  isWaiting(watcher: Watcher): boolean {
    return this.#waiting.has(watcher);
  }

  /** Lets `watcher` continue as soon as the client has read. */
  wait(watcher: Watcher): void {
    this.#waiting.add(watcher);
  }

  forget(watcher: Watcher): void {
    this.#waiting.delete(watcher);
    this.watchers.delete(watcher.channel);
  }

  json(type: FrameType, channel: number, value: unknown): void {
    this.#write(encodeJson(type, channel, value));
  }

  /** Sends a frame that is not urgent: with the next output, or a moment later. */
  soon(frame: Uint8Array): void {
    if (this.#soon.push(frame) > 1) return;
    // One timer is reused for each key, because creating and clearing one costs more.
    if (this.#soonTimer) this.#soonTimer.refresh();
    else this.#soonTimer = setTimeout(() => this.#flushSoon(), SOON_MS);
  }

  reply(channel: number, answer: unknown): void {
    this.replyJson(channel, JSON.stringify(answer));
  }

  /** Sends an answer that is already serialized. */
  replyJson(channel: number, answer: string): void {
    const payload = Buffer.from(answer);
    if (payload.length > JOINED_BYTES_MAX)
      this.fail(channel, new SpoolError('ANSWER_TOO_LARGE', { bytes: payload.length }));
    else for (const frame of encodeFrames(FrameType.reply, channel, payload)) this.#write(frame);
  }

  /** Sends an event. A client that does not read gets no events until it reads again, and then a notice that some are missing. */
  event(channel: number, event: DaemonEvent): void {
    if (this.isFull) this.#missing.add(channel);
    else this.json(FrameType.event, channel, event);
  }

  fail(channel: number, error: unknown): void {
    this.json(FrameType.error, channel, toWireError(error));
  }

  /** Sends output. The payload is shared with other watchers: it is not copied, and must not change. */
  output(channel: number, flags: number, offset: number, bytes: Uint8Array): void {
    this.#flushSoon();
    this.onOutput?.();
    this.#socket.write(encodeHeader(FrameType.output, flags, channel, offset, bytes.length));
    this.#socket.write(bytes);
  }

  /** The socket, for output that bypasses the empty queue; -1 while something waits in the queue. */
  get idleFd(): number {
    return this.#socket.idleFd;
  }

  /**
   * Begins such output in `frame`, with the data that waits for the next output and the header, except for its length. Returns the
   * number of bytes; 0 if there is no room.
   */
  beginRelay(frame: Uint8Array, channel: number, offset: number, bytesMax: number): number {
    let at = 0;
    for (const waiting of this.#soon) at += waiting.length;
    if (at + HEADER_BYTES + bytesMax > frame.length) return 0;
    at = 0;
    for (const waiting of this.#soon) {
      frame.set(waiting, at);
      at += waiting.length;
    }
    frame.set(encodeHeader(FrameType.output, 0, channel, offset, 0), at);
    return at + HEADER_BYTES;
  }

  /** Ends a relay that `beginRelay` began: `sentBytes` of `bytes` were sent; the rest follows. */
  endRelay(bytes: Uint8Array, sentBytes: number): void {
    this.#soon.length = 0;
    this.onOutput?.();
    if (sentBytes < bytes.length) this.#write(new Uint8Array(bytes.subarray(sentBytes)));
  }

  snapshot(channel: number, offset: number, bytes: Uint8Array): void {
    for (const frame of encodeFrames(FrameType.snapshot, channel, bytes, offset)) this.#write(frame);
  }

  #write(bytes: Uint8Array): void {
    this.#socket.write(bytes);
    if (this.#socket.waitingBytes > ANSWERS_BYTES_MAX) this.#socket.pause();
  }

  #closed(): void {
    this.#left.abort();
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
    this.onHeard?.();
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
    for (const frame of this.#soon) this.#write(frame);
    this.#soon.length = 0;
  }

  #hello(frame: Frame): void {
    if (frame.type !== FrameType.hello) throw new SpoolError('HELLO_EXPECTED', { type: frame.type });
    if (this.#refusal) throw this.#refusal;
    const hello = decodeJson(frame.payload) as Partial<Hello> | null;
    const protocol = chooseProtocol(hello);
    if (protocol === null || hello === null) {
      throw new SpoolError('VERSION_UNSUPPORTED', { client: Number(hello?.protocol) || 0, daemon: PROTOCOL_VERSION });
    }
    this.#hasSaidHello = true;
    if (typeof hello.who === 'string' && hello.who !== '') this.who = hello.who.slice(0, WHO_CHARACTERS_MAX);
    if (typeof hello.version === 'string') this.version = hello.version.slice(0, VERSION_CHARACTERS_MAX);
    this.mayReadWires = hello.mayReadWires !== false;
    clearTimeout(this.#helloTimer);
    this.json(FrameType.hello, 0, { protocol, version: VERSION } satisfies Hello);
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

  /** Sends the reason to a client whose data cannot be read, and closes the connection. */
  #refuse(error: unknown): void {
    this.fail(0, error);
    this.#socket.end();
  }
}
