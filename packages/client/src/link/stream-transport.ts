/**
 * A socket as a transport: for a path that the client dials, and for an fd that a process was given. It is written
 * against the part of Node's socket that it uses, so that this package compiles without Node's types.
 */
import type { Transport } from './runtime.ts';

export interface StreamSocket {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  once(event: 'drain' | 'close', listener: () => void): this;
  off(event: 'drain' | 'close', listener: () => void): this;
  write(bytes: Uint8Array): unknown;
  destroy(): unknown;
  pause?(): unknown;
  resume?(): unknown;
  /** Node's own field; the fd has no other name. */
  readonly _handle?: { readonly fd?: number } | null;
  readonly writableLength: number;
  readonly writableNeedDrain: boolean;
  readonly destroyed: boolean;
}

export class StreamTransport implements Transport {
  readonly #socket: StreamSocket;
  #error: Error | undefined;
  onData: (chunk: Uint8Array) => void = () => {};
  onClose: (error?: Error) => void = () => {};

  /** `open` creates the socket, and passes the received bytes to its argument. */
  constructor(open: (read: (chunk: Uint8Array) => void) => StreamSocket) {
    this.#socket = open((chunk) => this.onData(chunk));
    this.#socket.on('error', (error) => {
      this.#error = error;
    });
    this.#socket.on('close', () => this.onClose(this.#error));
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
    this.#socket.off('drain', resolve).off('close', resolve);
  }

  readElsewhere(take: (fd: number) => void): (() => void) | undefined {
    const socket = this.#socket;
    const fd = socket._handle?.fd;
    if (fd === undefined || fd < 0 || socket.destroyed) return undefined;
    take(fd);
    socket.pause?.();
    return () => socket.resume?.();
  }

  close(): void {
    this.#socket.destroy();
  }
}
