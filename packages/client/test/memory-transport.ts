/** Two ends of an in-memory connection that can be cut after any byte. */
import type { Transport } from '../src/index.ts';
import type { FakeClock } from './fake-clock.ts';

export interface MemoryPair {
  readonly client: Transport;
  readonly keeper: Transport;
}

export interface CutOptions {
  /** The number of bytes to the client after which the connection breaks. */
  readonly breakAfterBytes?: number | undefined;
  /** Returns the size of the next chunk to the client. */
  readonly chunkBytes?: (() => number) | undefined;
}

export function memoryPair(clock: FakeClock, options: CutOptions = {}): MemoryPair {
  const client = new MemoryEnd(clock);
  const keeper = new MemoryEnd(clock, options);
  client.peer = keeper;
  keeper.peer = client;
  return { client, keeper };
}

class MemoryEnd implements Transport {
  readonly #clock: FakeClock;
  readonly #options: CutOptions;
  /** The bytes on their way to the other end. */
  #queued: Uint8Array[] = [];
  #isMoving = false;
  #isClosed = false;
  #sentBytes = 0;
  peer!: MemoryEnd;
  bufferedBytes = 0;
  onData: (chunk: Uint8Array) => void = () => {};
  onClose: (error?: Error) => void = () => {};

  constructor(clock: FakeClock, options: CutOptions = {}) {
    this.#clock = clock;
    this.#options = options;
  }

  send(bytes: Uint8Array): void {
    this.#clock.activity++;
    if (this.#isClosed) return;
    this.#queued.push(new Uint8Array(bytes));
    this.bufferedBytes += bytes.length;
    if (!this.#isMoving) this.#move();
  }

  async drained(): Promise<void> {
    while (this.bufferedBytes > 0 && !this.#isClosed) await new Promise((resolve) => setImmediate(resolve));
  }

  close(): void {
    this.#shut();
    this.peer.#shut();
  }

  #shut(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queued = [];
    this.bufferedBytes = 0;
    setImmediate(() => {
      this.#clock.activity++;
      this.onClose(error);
    });
  }

  #move(): void {
    this.#isMoving = true;
    setImmediate(() => {
      this.#clock.activity++;
      const all = Buffer.concat(this.#queued);
      this.#queued = [];
      this.bufferedBytes = 0;
      this.#isMoving = false;
      this.#deliver(all);
    });
  }

  #deliver(all: Buffer): void {
    const { breakAfterBytes = Infinity, chunkBytes = () => 65_536 } = this.#options;
    const mayPass = all.subarray(0, Math.max(0, breakAfterBytes - this.#sentBytes));
    this.#sentBytes += mayPass.length;
    for (let at = 0; at < mayPass.length && !this.peer.#isClosed;) {
      // The same memory every time, like a socket with a fixed buffer: a receiver that keeps a piece must have copied
      // it.
      const chunk = SCRATCH.subarray(0, Math.min(chunkBytes(), mayPass.length - at, SCRATCH.length));
      mayPass.copy(chunk, 0, at);
      at += chunk.length;
      this.peer.onData(chunk);
      SCRATCH.fill(0xee);
    }
    if (this.#sentBytes < breakAfterBytes) return;
    this.#shut();
    this.peer.#shut(new Error('ECONNRESET'));
  }
}

const SCRATCH = Buffer.alloc(65_536);
