/** The socket that the keeper gave this process, as a transport. There is no other: a driver ends with its keeper. */
import { Socket } from 'node:net';
import type { Transport } from '@spool/client/driver';

export class FdTransport implements Transport {
  readonly #socket: Socket;
  onData: (chunk: Uint8Array) => void = () => {};
  onClose: (error?: Error) => void = () => {};

  constructor(fd: number) {
    this.#socket = new Socket({ fd, readable: true, writable: true })
      .on('data', (chunk) => this.onData(chunk))
      .on('error', () => {}) // `close` follows
      .on('close', () => this.onClose());
  }

  send(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  get bufferedBytes(): number {
    return this.#socket.writableLength;
  }

  async drained(): Promise<void> {
    if (!this.#socket.writableNeedDrain || this.#socket.destroyed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.once('drain', resolve).once('close', resolve);
    await promise;
  }

  close(): void {
    this.#socket.destroy();
  }
}
