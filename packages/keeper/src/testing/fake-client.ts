/**
 * A client for unit tests: a real `ClientConnection` on one end of a socket pair, and a plain frame reader on the other. It reads
 * only when the test calls `read`: the test decides how slow it is.
 */
import { native } from '@spool/native';
import { FdWatch } from '@spool/native/fd-watch';
import { decodeJson, encodeJson, type Frame, FrameReader, FrameType, PROTOCOL_VERSION, VERSION } from '@spool/protocol';
import { onTestFinished } from 'vitest';
import { ClientConnection, type ConnectionHandlers } from '../clients/connection.ts';

const NAMES = new Map<number, string>(Object.entries(FrameType).map(([name, type]) => [type, name]));

/** The turns of the event loop that are waited for: more than a message takes from one end to the other. */
const TURNS = 10;

const READ_SECONDS_MAX = 20;

export class FakeClient {
  readonly connection: ClientConnection;
  /** All frames that were read, each with its own payload. */
  readonly frames: Frame[] = [];
  isClosed = false;
  readonly #watch = new FdWatch();
  readonly #reader = new FrameReader();
  readonly #room = new Uint8Array(64 * 1024);
  #fd: number;

  /** `driverOf`: the session of which this client is the driver. */
  constructor(handlers: Partial<ConnectionHandlers> = {}, options: { readonly driverOf?: string } = {}) {
    const [daemons, clients] = native.socketPair();
    this.#fd = clients;
    this.connection = new ClientConnection(
      this.#watch,
      daemons,
      {
        onRequest: () => ({}),
        onInput: () => Promise.resolve(),
        onClose: () => {},
        ...handlers,
      },
      options,
    );
    onTestFinished(async () => {
      this.leave();
      await turns();
      this.#watch[Symbol.dispose]();
    });
  }

  /** Sends a hello, and drops the answer. */
  async hello(who = 'a test'): Promise<this> {
    await this.send(encodeJson(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: VERSION, who }));
    await this.read();
    this.frames.length = 0;
    return this;
  }

  async send(...frames: readonly Uint8Array[]): Promise<void> {
    for (const frame of frames) {
      for (let left = frame; left.length > 0;) {
        const written = native.write(this.#fd, left);
        if (written > 0) left = left.subarray(written);
        else await turns();
      }
    }
    await turns();
  }

  /**
   * Reads the available bytes, and those that this read releases; returns the new frames. For more than a few frames see
   * `readUntil`.
   */
  async read(): Promise<readonly Frame[]> {
    const before = this.frames.length;
    for (let idle = 0; idle < TURNS; idle++) {
      if (this.#take()) idle = 0;
      await turns(1);
    }
    return this.frames.slice(before);
  }

  /** Something was sent to it that it has not read. */
  get hasUnread(): boolean {
    return native.isReadable(this.#fd);
  }

  /** Continues to read until `claim` returns true. */
  async readUntil(what: string, claim: () => boolean): Promise<void> {
    const deadline = process.uptime() + READ_SECONDS_MAX;
    while (!claim()) {
      if (process.uptime() > deadline) throw new Error(`waited in vain until ${what}`);
      this.#take();
      await turns(1);
    }
  }

  #take(): boolean {
    const read = native.read(this.#fd, this.#room);
    if (read === 0) this.isClosed = true;
    if (read <= 0) return false;
    this.#reader.push(this.#room.subarray(0, read), (frame) =>
      this.frames.push({ ...frame, payload: Uint8Array.from(frame.payload) }),
    );
    return true;
  }

  /** The frames that were read, one line each: `output 0 hello`, `event {"type":"synced",…}`. */
  get story(): readonly string[] {
    return this.frames.map(({ type, offset, payload }) => {
      const text = Buffer.from(payload).toString();
      const isBytes = type === FrameType.output || type === FrameType.snapshot;
      return `${NAMES.get(type)} ${isBytes || type === FrameType.typed ? `${offset} ` : ''}${text}`.trim();
    });
  }

  /** Returns the JSON of the frames of one type. */
  told<T = Record<string, unknown>>(type: FrameType = FrameType.event): readonly T[] {
    return this.frames.filter((frame) => frame.type === type).map(({ payload }) => decodeJson(payload) as T);
  }

  get outputBytes(): number {
    return this.frames.reduce((sum, { type, payload }) => sum + (type === FrameType.output ? payload.length : 0), 0);
  }

  /** All output that was read, joined. */
  get output(): Buffer {
    return Buffer.concat(this.frames.filter(({ type }) => type === FrameType.output).map(({ payload }) => payload));
  }

  leave(): void {
    if (this.#fd === -1) return;
    native.close(this.#fd);
    this.#fd = -1;
  }
}

/** Lets the event loop turn: ticks, polls, immediates. This works with fake timers too. */
export async function turns(count = TURNS): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
