/**
 * A connected socket without Node's streams. A keystroke passes a keeper's sockets twice, and streams took half of that time
 * (docs/performance.md).
 *
 * All bytes written in one turn of the event loop leave in one system call. Bytes that the kernel does not accept wait here;
 * `waitingBytes` is their number, and writers must check it.
 */
import { constants } from 'node:os';
import type { FdWatch } from './fd-watch.ts';
import { native, POLL } from './index.ts';

const { EAGAIN } = constants.errno;

/** The buffer into which all sockets of a process read, one after the other. */
const room = new Uint8Array(64 * 1024);

export interface FdSocketHandlers {
  /** Called with bytes that are valid until it returns. */
  onData(bytes: Uint8Array): void;
  /** Called when all waiting bytes have been sent. */
  onDrain(): void;
  /** Called once, whichever side closed the socket. */
  onClose(): void;
}

export class FdSocket {
  readonly #watch: FdWatch;
  readonly #handlers: FdSocketHandlers;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #fd: number;
  #isReading = true;
  #isEnding = false;
  /** Whether the kernel accepts no more bytes for now. */
  #isFull = false;
  #isFlushDue = false;

  /** Takes over `fd`, which is closed with the socket. */
  constructor(watch: FdWatch, fd: number, handlers: FdSocketHandlers) {
    this.#watch = watch;
    this.#fd = fd;
    this.#handlers = handlers;
    watch.watch(fd, POLL.readable, (events) => this.#ready(events));
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** The fd, for bytes that may be sent past this object because nothing waits in it; -1 while something does. */
  get idleFd(): number {
    return this.#waitingBytes > 0 || this.#isEnding || this.#isFull ? -1 : this.#fd;
  }

  /** Writes bytes, which are not copied, and must not change until they are sent. */
  write(bytes: Uint8Array): void {
    if (this.#fd === -1 || this.#isEnding || bytes.length === 0) return;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#isFlushDue || this.#isFull) return;
    this.#isFlushDue = true;
    process.nextTick(this.#flush);
  }

  pause(): void {
    if (!this.#isReading) return;
    this.#isReading = false;
    this.#listen();
  }

  resume(): void {
    if (this.#isReading || this.#isEnding) return;
    this.#isReading = true;
    this.#listen();
  }

  /** Closes the socket once all written bytes are sent; reads no more. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#isReading = false;
    if (this.#waitingBytes === 0) this.close();
    else this.#listen();
  }

  close(): void {
    if (this.#fd === -1) return;
    this.#watch.unwatch(this.#fd);
    native.close(this.#fd);
    this.#fd = -1;
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#handlers.onClose();
  }

  #listen(): void {
    if (this.#fd === -1) return;
    // A hang-up is always watched for: epoll does not report it when no event is requested.
    const wanted = (this.#isReading ? POLL.readable : 0) | (this.#isFull ? POLL.writable : 0);
    this.#watch.change(this.#fd, wanted | POLL.hangup);
  }

  #ready(events: number): void {
    if (events & POLL.writable) this.#flush();
    if (this.#fd === -1 || !(events & ~POLL.writable)) return;
    // When reading is off, this is called only if the other side is gone.
    if (this.#isReading) this.#read();
    else this.close();
  }

  #read(): void {
    const read = native.read(this.#fd, room);
    if (read > 0) this.#handlers.onData(room.subarray(0, read));
    else if (read === 0) this.end();
    else if (read !== -EAGAIN) this.close();
  }

  readonly #flush = (): void => {
    this.#isFlushDue = false;
    while (this.#waiting.length > 0) {
      const written = native.writeParts(this.#fd, this.#waiting);
      if (written < 0 && written !== -EAGAIN) return this.close();
      if (written > 0) this.#forget(written);
      if (this.#waiting.length > 0 && written < 0) return this.#full(true);
    }
    if (this.#fd === -1) return;
    if (this.#isFull) this.#full(false);
    if (this.#isEnding) this.close();
    else this.#handlers.onDrain();
  };

  #full(isFull: boolean): void {
    if (this.#isFull === isFull) return;
    this.#isFull = isFull;
    this.#listen();
  }

  /** Removes bytes that are sent from the queue. */
  #forget(bytes: number): void {
    this.#waitingBytes -= bytes;
    let left = bytes;
    let gone = 0;
    while (gone < this.#waiting.length && left >= this.#waiting[gone]!.length) left -= this.#waiting[gone++]!.length;
    this.#waiting.splice(0, gone);
    if (left > 0) this.#waiting[0] = this.#waiting[0]!.subarray(left);
  }
}
