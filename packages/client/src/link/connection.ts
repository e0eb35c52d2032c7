/**
 * One connection to a keeper: hello first, then numbered requests and their frames.
 *
 * Frames are passed to their channel as soon as they arrive, and no channel may wait inside its handler, so a watch that is not
 * read never delays a reply or another watch. A broken connection stays broken; its users (`Link` and the requests) decide how to
 * continue, because only they know which requests may be sent again.
 */
import {
  CONTROL_BYTES_MAX,
  decodeJson,
  encodeFrame,
  encodeInput,
  encodeJson,
  type Frame,
  FrameJoiner,
  FrameReader,
  FrameType,
  fromWireError,
  HEADER_BYTES,
  type Hello,
  type Op,
  PROTOCOL_OLDEST,
  PROTOCOL_VERSION,
  type Requests,
  SpoolError,
  VERSION,
  type WireError,
} from '@spool/protocol';
import { abortController } from './abort.ts';
import type { AbortSignalLike, Transport } from './runtime.ts';

const CHANNEL_MAX = 0xffff_ffff;

/** The receiver of a channel's frames. Both methods are called while frames are being read: they must not wait. */
export interface Channel {
  onFrame(frame: Frame): void;
  onBroken(broken: BrokenConnection): void;
}

/** The reason why a connection ended. It is internal to this package: callers see a `SpoolError`. */
export class BrokenConnection extends Error {
  readonly reason: SpoolError;
  override readonly name = 'BrokenConnection';

  constructor(reason: SpoolError) {
    super(reason.message);
    this.reason = reason;
  }

  /** Whether a new connection may succeed. A daemon that gave a reason for closing would only repeat it. */
  get mayRetry(): boolean {
    return LOST.has(this.reason.code) || UNREADABLE.has(this.reason.code);
  }

  /**
   * Whether a request may be repeated. It must not be repeated if one side could not read the other: the unreadable data may have
   * been the answer to this request, and would be the same again. A watch may continue, because it asks from its cursor for other
   * bytes.
   */
  get mayAskAgain(): boolean {
    return LOST.has(this.reason.code);
  }
}

const LOST: ReadonlySet<string> = new Set(['CONNECTION_LOST', 'INTERNAL']);

/** The errors for unreadable data: a fresh connection starts from a known state. */
const UNREADABLE: ReadonlySet<string> = new Set(['FRAME_UNKNOWN', 'FRAME_TOO_LARGE', 'FRAME_INVALID']);

export class Connection {
  readonly #transport: Transport;
  readonly #reader = new FrameReader();
  readonly #joiner = new FrameJoiner();
  readonly #channels = new Map<number, Channel>();
  readonly #opened: PromiseWithResolvers<Hello> = Promise.withResolvers();
  #next: number;
  #broken: BrokenConnection | null = null;
  #isGreeted = false;
  readonly #now: () => number;
  /** The time of the last received bytes, by `now`. */
  receivedAt: number;
  readonly #ended = abortController();
  /** Called once, before the channels are notified: a channel that continues must find no trace of this connection. */
  onBroken: (broken: BrokenConnection) => void = () => {};
  /** Called when a requested frame arrives, which shows that the peer does more than send a hello. */
  onProgress: () => void = () => {};

  constructor(
    transport: Transport,
    options: { firstChannel?: number; who?: string | undefined; now?: () => number } = {},
  ) {
    this.#transport = transport;
    this.#next = options.firstChannel ?? 1;
    this.#now = options.now ?? (() => 0);
    this.receivedAt = this.#now();
    this.#opened.promise.catch(() => {}); // callers that wait for the hello get the error; if there are none, `onBroken` has reported it
    transport.onData = (chunk) => this.#read(chunk);
    transport.onClose = (error) =>
      this.#break(new SpoolError('CONNECTION_LOST', {}, error === undefined ? {} : { cause: error }));
    const hello: Hello = { protocol: PROTOCOL_VERSION, oldest: PROTOCOL_OLDEST, version: VERSION, who: options.who };
    transport.send(encodeJson(FrameType.hello, 0, hello));
  }

  /** Resolves with the keeper's hello; rejects with `BrokenConnection`. */
  get opened(): Promise<Hello> {
    return this.#opened.promise;
  }

  /** The signal that is aborted when the connection ends. */
  get ended(): AbortSignalLike {
    return this.#ended.signal;
  }

  /** The reason for the end; null while it is open. */
  get broken(): BrokenConnection | null {
    return this.#broken;
  }

  /** Sends a request, and resolves with the answer. Rejects with the daemon's error, or with `BrokenConnection`. */
  request<K extends Op>(op: K, ask: Requests[K]['ask'], signal?: AbortSignalLike): Promise<Requests[K]['answer']> {
    return this.#once((channel) => encodeRequest(channel, op, ask), signal) as Promise<Requests[K]['answer']>;
  }

  /** Sends bytes to a session, and resolves when they are in the terminal. */
  async input(session: string, bytes: Uint8Array): Promise<void> {
    await this.#once((channel) => encodeFrame(FrameType.input, channel, encodeInput(session, bytes)));
  }

  /** Opens a stream (`watch`, `events`): all frames on its channel are passed to `channel`. */
  open<K extends Op>(op: K, ask: Requests[K]['ask'], channel: Channel): number {
    const number = this.#number();
    const frame = encodeRequest(number, op, ask);
    this.#channels.set(number, channel);
    this.send(frame);
    return number;
  }

  /** Leaves a channel, and notifies the daemon if the channel is still open there. */
  leave(channel: number): void {
    if (!this.#channels.delete(channel) || this.#broken !== null) return;
    // The answer is ignored, because it finds no channel.
    this.send(encodeRequest(this.#number(), 'unwatch', { channel }));
  }

  /** The number of open requests. */
  get openChannels(): number {
    return this.#channels.size;
  }

  /** Forgets a channel that the daemon has ended too. */
  forget(channel: number): void {
    this.#channels.delete(channel);
  }

  send(frame: Uint8Array): void {
    if (this.#broken === null) this.#transport.send(frame);
  }

  get bufferedBytes(): number {
    return this.#transport.bufferedBytes;
  }

  /** Returns the transport if no frame is unfinished and nothing waits to be sent; otherwise null. */
  get idleTransport(): Transport | null {
    const isIdle = this.#broken === null && this.#reader.isBetween && this.#transport.bufferedBytes === 0;
    return isIdle ? this.#transport : null;
  }

  drained(): Promise<void> {
    return this.#transport.drained();
  }

  /** Closes the connection after invalid data: its later frames cannot be trusted. */
  fail(reason: SpoolError): void {
    this.#break(reason);
  }

  close(): void {
    this.#break(new SpoolError('CONNECTION_LOST', { reason: 'the client was closed' }));
  }

  #once(encode: (channel: number) => Uint8Array, signal?: AbortSignalLike): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#broken !== null) {
      reject(this.#broken);
      return promise;
    }
    const channel = this.#number();
    const frame = encode(channel);
    const onAbort = (): void => {
      this.leave(channel);
      reject(abortReason(signal!));
    };
    signal?.addEventListener('abort', onAbort);
    const settled = (): void => {
      this.#channels.delete(channel);
      signal?.removeEventListener('abort', onAbort);
    };
    this.#channels.set(channel, {
      onFrame: ({ type, payload }) => {
        if (type === FrameType.reply) {
          const answer = payload.length === 0 ? {} : decodeJson(payload);
          settled();
          resolve(answer);
        } else if (type === FrameType.error) {
          const error = decodeError(payload);
          settled();
          reject(error);
        } else {
          throw new SpoolError('FRAME_INVALID', { type, reason: 'a request must be answered with a reply' });
        }
      },
      onBroken: (broken) => {
        settled();
        reject(broken);
      },
    });
    this.send(frame);
    return promise;
  }

  #number(): number {
    const number = freeChannel(this.#next, (channel) => this.#channels.has(channel));
    this.#next = number + 1;
    return number;
  }

  #read(chunk: Uint8Array): void {
    this.receivedAt = this.#now();
    try {
      this.#reader.push(chunk, (frame) => {
        if (this.#broken === null) this.#take(frame);
      });
    } catch (error) {
      // A FRAME_… error from the reader or from a channel. Any other error is a bug of ours: the connection is closed, and the
      // error stays visible.
      if (!SpoolError.is(error)) {
        this.#break(new SpoolError('INTERNAL', { message: String(error) }, { cause: error }));
        throw error;
      }
      this.#break(error);
    }
  }

  #take(frame: Frame): void {
    if (!this.#isGreeted) return this.#greet(frame);
    if (frame.channel === 0) {
      if (frame.type !== FrameType.error) throw new SpoolError('FRAME_INVALID', { type: frame.type, channel: 0 });
      return this.#break(decodeError(frame.payload));
    }
    const whole = frame.type === FrameType.output ? frame : this.#joiner.take(frame);
    // Frames for a channel that was left were still on their way at that moment.
    const channel = this.#channels.get(frame.channel);
    if (whole === null || channel === undefined) return;
    channel.onFrame(whole);
    this.onProgress();
  }

  #greet({ type, payload }: Frame): void {
    if (type === FrameType.error) return this.#break(decodeError(payload));
    if (type !== FrameType.hello) throw new SpoolError('HELLO_EXPECTED', { type });
    const hello = decodeJson(payload) as Partial<Hello> | null;
    const { protocol = 0 } = hello ?? {};
    if (hello === null || protocol > PROTOCOL_VERSION || protocol < PROTOCOL_OLDEST) {
      const daemon = `${hello?.protocol} (${hello?.version})`;
      throw new SpoolError('VERSION_UNSUPPORTED', { client: `${PROTOCOL_VERSION} (${VERSION})`, daemon });
    }
    this.#isGreeted = true;
    this.#opened.resolve({ protocol, version: String(hello.version) });
  }

  #break(reason: SpoolError): void {
    if (this.#broken !== null) return;
    const broken = new BrokenConnection(reason);
    this.#broken = broken;
    this.#ended.abort();
    this.#transport.close();
    this.#opened.reject(broken);
    this.onBroken(broken);
    const channels = [...this.#channels.values()];
    this.#channels.clear();
    for (const channel of channels) channel.onBroken(broken);
  }
}

/** Returns the first free number from `next` on: never 0, and after four thousand million of them from 1 again. */
export function freeChannel(next: number, isUsed: (channel: number) => boolean): number {
  let channel = next;
  while (channel < 1 || channel > CHANNEL_MAX || isUsed(channel))
    channel = channel < 1 || channel >= CHANNEL_MAX ? 1 : channel + 1;
  return channel;
}

/** Returns the reason with which an aborted call rejects. */
export function abortReason(signal: AbortSignalLike): unknown {
  return signal.reason ?? Object.assign(new Error('aborted'), { name: 'AbortError' });
}

/**
 * Encodes a request. A request that is too large is refused here, for its caller: the keeper could only close the connection for
 * all.
 */
function encodeRequest<K extends Op>(channel: number, op: K, ask: Requests[K]['ask']): Uint8Array {
  const frame = encodeJson(FrameType.request, channel, { op, ...ask });
  const bytes = frame.length - HEADER_BYTES;
  if (bytes > CONTROL_BYTES_MAX) throw new SpoolError('FRAME_TOO_LARGE', { op, bytes, most: CONTROL_BYTES_MAX });
  return frame;
}

export function decodeError(payload: Uint8Array): SpoolError {
  const error = decodeJson(payload) as Partial<WireError> | null;
  if (typeof error?.code !== 'string') throw new SpoolError('FRAME_INVALID', { error: 'without a code' });
  return fromWireError({ code: error.code, details: error.details ?? {} });
}
