/** The socket to the daemon, by the native addon: loading `node:net` and its streams would take 3 ms, half of a command's time. */
import type { ConnectOptions, Transport } from '@spool/client/requests';
import type { Native, Poller } from '@spool/native';
import { native } from '../native.ts';

/** The same size as in the transport of the SDK (`client/node/socket-transport.ts`), where the measurements are. */
const READ_BYTES = 256 * 1024;

/** The number of waiting bytes above which a writer has to wait. */
const WAITING_BYTES_MAX = 64 * 1024;

const EAGAIN = -11;

/** The same value as `POLL` of the addon. */
const READABLE = 1;
const WRITABLE = 4;

/** Opens the socket of a daemon; undefined without the addon. Rejects with the system's own error (ENOENT, ECONNREFUSED, …). */
export const daemonSocket: ConnectOptions['connectSocket'] = native === null ? undefined : connectBy(native);

function connectBy(addon: Native): NonNullable<ConnectOptions['connectSocket']> {
  return async (path, signal) => {
    const socket = new DaemonSocket(addon, addon.connectUnix(path));
    if (signal?.aborted) socket.close();
    return socket;
  };
}

class DaemonSocket implements Transport {
  readonly #native: Native;
  readonly #fd: number;
  readonly #poller: Poller;
  /** The buffer is not filled with zeros, so that the kernel provides only the pages that are used. */
  readonly #room = Buffer.allocUnsafeSlow(READ_BYTES);
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isClosed = false;
  /** False while the attach pump reads the socket. */
  #isReading = true;
  #whenDrained: PromiseWithResolvers<void> | null = null;
  onData: (chunk: Uint8Array) => void = () => {};
  onClose: (error?: Error) => void = () => {};

  /** Takes over `fd`: it is closed with the socket. */
  constructor(addon: Native, fd: number) {
    this.#native = addon;
    this.#fd = fd;
    this.#poller = addon.createPoller((ready, count) => this.#ready(ready, count));
    this.#poller.set(fd, READABLE);
  }

  send(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waiting.length === 1) this.#flush();
  }

  get bufferedBytes(): number {
    return this.#waitingBytes;
  }

  async drained(): Promise<void> {
    if (this.#isClosed || this.#waitingBytes < WAITING_BYTES_MAX) return;
    this.#whenDrained ??= Promise.withResolvers();
    await this.#whenDrained.promise;
  }

  readElsewhere(take: (fd: number) => void): (() => void) | undefined {
    if (this.#isClosed) return undefined;
    take(this.#fd);
    this.#setReading(false);
    return () => this.#setReading(true);
  }

  close(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#poller.close();
    this.#native.close(this.#fd);
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#whenDrained?.resolve();
    // It happens later, as in a stream, because the caller of `close` has not finished yet.
    queueMicrotask(() => this.onClose(error));
  }

  #ready(ready: Int32Array, count: number): void {
    if (count === 0) return;
    const events = ready[1]!;
    if (events & WRITABLE) this.#flush();
    if (this.#isClosed || !this.#isReading || !(events & ~WRITABLE)) return;
    const read = this.#native.read(this.#fd, this.#room);
    if (read > 0) this.onData(this.#room.subarray(0, read));
    else if (read === 0) this.close();
    else if (read !== EAGAIN) this.close(failure('read', read));
  }

  #flush(): void {
    while (this.#waiting.length > 0) {
      const written = this.#native.writeParts(this.#fd, this.#waiting);
      if (written === EAGAIN) return this.#listen();
      if (written < 0) return this.close(failure('write', written));
      this.#forget(written);
    }
    this.#listen();
    this.#whenDrained?.resolve();
    this.#whenDrained = null;
  }

  #setReading(isReading: boolean): void {
    if (this.#isClosed) return;
    this.#isReading = isReading;
    this.#listen();
  }

  #listen(): void {
    const events = (this.#isReading ? READABLE : 0) | (this.#waiting.length > 0 ? WRITABLE : 0);
    if (events === 0) this.#poller.delete(this.#fd);
    else this.#poller.set(this.#fd, events);
  }

  /** Notes that these bytes were sent. */
  #forget(bytes: number): void {
    this.#waitingBytes -= bytes;
    let left = bytes;
    let gone = 0;
    while (gone < this.#waiting.length && left >= this.#waiting[gone]!.length) left -= this.#waiting[gone++]!.length;
    this.#waiting.splice(0, gone);
    if (left > 0) this.#waiting[0] = this.#waiting[0]!.subarray(left);
  }
}

function failure(syscall: string, result: number): Error {
  return Object.assign(new Error(`${syscall} failed`), { errno: result, syscall });
}
