/**
 * A client that knows only frames and JSON, for requests that the SDK would refuse or handle itself: only in this way can a test
 * reach the daemon's own checks.
 */
import { createConnection, type Socket } from 'node:net';
import {
  decodeJson,
  encodeFrame,
  encodeJson,
  type Frame,
  FrameFlag,
  FrameReader,
  FrameType,
  PROTOCOL_VERSION,
  VERSION,
} from '@spool/protocol';
import { native } from '@spool/native';
import { until } from './processes.ts';

export interface ReceivedMessage {
  readonly type: string;
  readonly [field: string]: unknown;
}

export class BareClient {
  /** All frames so far, each with its own payload. */
  readonly frames: Frame[] = [];
  isClosed = false;
  readonly #socket: Socket;
  readonly #reader = new FrameReader();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) =>
      this.#reader.push(chunk, (frame) => this.frames.push({ ...frame, payload: Uint8Array.from(frame.payload) })),
    );
    socket.on('error', () => {}); // a reset is an end too
    socket.on('close', () => (this.isClosed = true));
  }

  static async connect(path: string, who = 'a bare client'): Promise<BareClient> {
    const socket = createConnection(path);
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    const client = new BareClient(socket);
    client.send(encodeJson(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: VERSION, who }));
    await until('the daemon says hello', () => client.frames.length > 0);
    return client;
  }

  send(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  ask(channel: number, request: object): void {
    this.send(encodeJson(FrameType.request, channel, request));
  }

  /** Returns the answer to a request; throws if it is an error. */
  async answer<T = Record<string, unknown>>(channel: number, request: object): Promise<T> {
    const isAnswer = ({ type, channel: of }: Frame): boolean =>
      of === channel && (type === FrameType.reply || type === FrameType.error);
    const before = this.frames.length;
    this.ask(channel, request);
    await until(`${JSON.stringify(request)} is answered`, () => this.frames.slice(before).some(isAnswer));
    const { type, payload } = this.frames.slice(before).find(isAnswer)!;
    if (type === FrameType.error) throw Object.assign(new Error('the daemon refused'), decodeJson(payload));
    return decodeJson(payload) as T;
  }

  /** Grants credit up to this offset. */
  grant(channel: number, offset: number): void {
    this.send(encodeFrame(FrameType.credit, channel, new Uint8Array(0), offset));
  }

  /** Types at an attachment, at this offset of its input stream. */
  type(channel: number, text: string, offset = 0): void {
    const payload = Buffer.concat([Uint8Array.of(0), Buffer.from(text)]);
    this.send(encodeFrame(FrameType.input, channel, payload, offset, FrameFlag.typed));
  }

  /** Returns the events of a channel. */
  told(channel: number): readonly ReceivedMessage[] {
    return this.frames
      .filter((frame) => frame.type === FrameType.event && frame.channel === channel)
      .map(({ payload }) => decodeJson(payload) as ReceivedMessage);
  }

  /** Waits for an event of a channel. */
  async hears(channel: number, type: string): Promise<ReceivedMessage> {
    const find = (): ReceivedMessage | undefined => this.told(channel).find((event) => event.type === type);
    await until(`${type} is told`, () => find() !== undefined);
    return find()!;
  }

  /** Returns the output of a channel, joined. */
  output(channel: number): Buffer {
    return Buffer.concat(
      this.frames
        .filter((frame) => frame.type === FrameType.output && frame.channel === channel)
        .map(({ payload }) => payload),
    );
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
}

/**
 * Returns the number of bytes that the kernel buffers for an unread unix socket, in frames of the largest size: more bytes wait
 * in the daemon.
 */
export function socketRoomBytes(): number {
  const [from, to] = native.socketPair();
  let bytes = 0;
  for (let written: number; (written = native.write(from, new Uint8Array(64 * 1024))) > 0;) bytes += written;
  native.close(from);
  native.close(to);
  return bytes;
}
