/**
 * Sends JSON messages with file descriptors over a unix socket, in both directions at once.
 *
 * Neither side ever blocks: bytes that the socket does not accept wait here. (Two processes that send to each other synchronously
 * deadlock when both buffers are full; that happened at about 900 queued spawns.)
 *
 * A message is `u32 length, u8 number of fds, JSON`. Fds travel with the first byte of their message, in order.
 */
import { constants } from 'node:os';
import type { FdWatch } from './fd-watch.ts';
import { native, POLL } from './index.ts';

const HEAD_BYTES = 5;
const READ_BYTES = 256 * 1024;

/** The errno when more fds are in flight than the limit of open files allows; Node's table of errors does not have it. */
const ETOOMANYREFS = 109;

/** The placeholder for fds that were lost for lack of room. */
const LOST = -1;

interface OutgoingMessage {
  bytes: Uint8Array;
  fds: readonly number[];
  /** Whether the link closes these fds once they are sent. */
  readonly closeFds: boolean;
}

export interface FdLinkHandlers<In> {
  onMessage(message: In, fds: readonly number[]): void;
  /** Called when a message arrived complete, but there was no room for its fds: they are lost, and must be sent again. */
  onFdsLost(message: In): void;
  /** Called when the other side is gone. It is called once, and not after `close`. */
  onEnd(): void;
}

export class FdLink<In, Out> {
  readonly #watch: FdWatch;
  readonly #handlers: FdLinkHandlers<In>;
  readonly #outgoing: OutgoingMessage[] = [];
  readonly #room = new Uint8Array(READ_BYTES);
  #socket: number;
  #incoming: Buffer = Buffer.alloc(0);
  #fds: number[] = [];

  /** Takes over `socket`, which is closed with the link. */
  constructor(watch: FdWatch, socket: number, handlers: FdLinkHandlers<In>) {
    this.#watch = watch;
    this.#socket = socket;
    this.#handlers = handlers;
    watch.watch(socket, POLL.readable, (events) => this.#ready(events));
  }

  get isOpen(): boolean {
    return this.#socket !== -1;
  }

  /** Sends a message. A message to a side that is gone is dropped: the next process on that side gets all state again. */
  send(message: Out, fds: readonly number[] = [], { closeFds = false } = {}): void {
    if (this.#socket === -1) {
      if (closeFds) fds.forEach((fd) => native.close(fd));
      return;
    }
    const json = Buffer.from(JSON.stringify(message));
    const bytes = Buffer.allocUnsafe(HEAD_BYTES + json.length);
    bytes.writeUInt32BE(json.length, 0);
    bytes[4] = fds.length;
    json.copy(bytes, HEAD_BYTES);
    this.#outgoing.push({ bytes, fds, closeFds });
    if (this.#outgoing.length === 1) this.#flush();
  }

  close(): void {
    if (this.#socket === -1) return;
    this.#watch.unwatch(this.#socket);
    native.close(this.#socket);
    this.#socket = -1;
    for (const fd of this.#fds.splice(0)) if (fd !== LOST) native.close(fd);
    for (const { fds, closeFds } of this.#outgoing.splice(0)) if (closeFds) fds.forEach((fd) => native.close(fd));
  }

  #ready(events: number): void {
    if (events & POLL.writable) this.#flush();
    if (events & ~POLL.writable) this.#receive();
  }

  #flush(): void {
    let next: OutgoingMessage | undefined;
    while (this.#socket !== -1 && (next = this.#outgoing[0])) {
      const sent = native.sendFds(this.#socket, next.bytes, next.fds);
      if (sent === -constants.errno.EINTR) continue;
      if (sent < 0) {
        // Any error except a full socket means that the other side is gone; the reading half will report it.
        const isFull = sent === -constants.errno.EAGAIN || sent === -ETOOMANYREFS;
        this.#watch.change(this.#socket, isFull ? POLL.readable | POLL.writable : POLL.readable);
        return;
      }
      if (next.closeFds) next.fds.forEach((fd) => native.close(fd));
      if (sent < next.bytes.length) this.#outgoing[0] = { bytes: next.bytes.subarray(sent), fds: [], closeFds: false };
      else this.#outgoing.shift();
    }
    if (this.#socket !== -1) this.#watch.change(this.#socket, POLL.readable);
  }

  #receive(): void {
    const read = native.receiveFds(this.#socket, this.#room, this.#fds);
    if (read === -constants.errno.EAGAIN || read === -constants.errno.EINTR) return;
    if (read <= 0) {
      this.close();
      this.#handlers.onEnd();
      return;
    }
    const fresh = this.#room.subarray(0, read);
    this.#incoming = this.#incoming.length === 0 ? Buffer.from(fresh) : Buffer.concat([this.#incoming, fresh]);
    let at = 0;
    while (this.#incoming.length - at >= HEAD_BYTES) {
      const end = at + HEAD_BYTES + this.#incoming.readUInt32BE(at);
      if (end > this.#incoming.length) break;
      const count = this.#incoming[at + 4]!;
      const isLost = count > 0 && this.#fds[0] === LOST;
      const fds = this.#fds.splice(0, isLost ? 1 : count);
      const message = JSON.parse(this.#incoming.toString('utf8', at + HEAD_BYTES, end)) as In;
      at = end;
      if (isLost) this.#handlers.onFdsLost(message);
      else this.#handlers.onMessage(message, fds);
      if (this.#socket === -1) return;
    }
    this.#incoming = this.#incoming.subarray(at);
  }
}
