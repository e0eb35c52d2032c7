/**
 * A stream of bytes over messages that may get lost, for HTTP/2. Each message has a number; a missing one ends the stream, and its clients continue
 * by offset over the next one. The receiver confirms what it has read, and the sender never has more unconfirmed bytes than the limit, so
 * that a reader that stands still fills no queue of a server. Keeps NODE-51 and NODE-52.
 */
import { Duplex } from 'node:stream';
import { type Seal, TAG_BYTES } from './sealing.ts';

/** The maximum of a message, without its head. */
const MESSAGE_BYTES_MAX = 32 * 1024;

/** The maximum of bytes on their way, in each direction. */
export const UNCONFIRMED_BYTES_MAX = 256 * 1024;

/** The number of read bytes after which they are confirmed. */
const CONFIRM_BYTES = 64 * 1024;

/** A message is its kind, its number in its direction, and the sealed content. */
const HEAD_BYTES = 7;
export const KINDS = { open: 1, accept: 2, refuse: 3, data: 4, confirm: 5, close: 6 } as const;

export interface MessageDuplexOptions {
  readonly outgoing: Seal;
  readonly incoming: Seal;
  send(message: Buffer): void;
}

type WriteCallback = (error?: Error | null) => void;

export class MessageDuplex extends Duplex {
  readonly #options: MessageDuplexOptions;
  readonly #sending: Buffer[] = [];
  #written: WriteCallback | null = null;
  readonly #numbers = { sent: 0, received: 0 };
  readonly #bytes = { sent: 0, confirmed: 0, received: 0, confirmedToThem: 0 };
  #isFull = false;

  constructor(options: MessageDuplexOptions) {
    super({ allowHalfOpen: false });
    this.#options = options;
    this.on('error', () => {}); // `close` follows
  }

  /** The number of bytes that the other side has not confirmed. */
  get unconfirmedBytes(): number {
    return this.#bytes.sent - this.#bytes.confirmed;
  }

  /** Takes the next message of the other side. One that is missing, or that is not sealed by it, ends the stream. */
  receive(message: Buffer): void {
    if (this.destroyed) return;
    const content = this.#opened(message);
    if (content === null) return void this.destroy();
    switch (message[0]) {
      case KINDS.data:
        this.#bytes.received += content.length;
        // More than the limit is not from a sender that knows it.
        if (this.#bytes.received - this.#bytes.confirmedToThem > UNCONFIRMED_BYTES_MAX) return void this.destroy();
        this.#isFull = !this.push(content);
        return this.#confirm();
      case KINDS.confirm: {
        const confirmed = content.length === 6 ? content.readUIntBE(0, 6) : -1;
        if (confirmed < this.#bytes.confirmed || confirmed > this.#bytes.sent) return void this.destroy();
        this.#bytes.confirmed = confirmed;
        return this.#send();
      }
      default:
        this.destroy();
    }
  }

  override _read(): void {
    this.#isFull = false;
    this.#confirm();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, written: WriteCallback): void {
    this.#write(chunk, written);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], written: WriteCallback): void {
    this.#write(Buffer.concat(chunks.map(({ chunk }) => chunk)), written);
  }

  override _final(written: WriteCallback): void {
    written();
    this.destroy();
  }

  override _destroy(error: Error | null, destroyed: WriteCallback): void {
    this.#message(KINDS.close, Buffer.alloc(0));
    this.#sending.length = 0;
    this.#written?.(error ?? new Error('the stream is closed'));
    this.#written = null;
    destroyed(error);
  }

  #opened(message: Buffer): Buffer | null {
    if (message.length < HEAD_BYTES + TAG_BYTES || message.length > HEAD_BYTES + TAG_BYTES + MESSAGE_BYTES_MAX)
      return null;
    const number = message.readUIntBE(1, 6);
    if (number !== this.#numbers.received++) return null;
    return this.#options.incoming.open(message.subarray(0, HEAD_BYTES), number, message.subarray(HEAD_BYTES));
  }

  #write(bytes: Buffer, written: WriteCallback): void {
    for (let at = 0; at < bytes.length; at += MESSAGE_BYTES_MAX)
      this.#sending.push(bytes.subarray(at, at + MESSAGE_BYTES_MAX));
    this.#written = written;
    this.#send();
  }

  #send(): void {
    for (let next = this.#sending[0]; next !== undefined; next = this.#sending[0]) {
      if (this.unconfirmedBytes + next.length > UNCONFIRMED_BYTES_MAX) return;
      this.#sending.shift();
      this.#bytes.sent += next.length;
      this.#message(KINDS.data, next);
    }
    const written = this.#written;
    this.#written = null;
    written?.();
  }

  #confirm(): void {
    if (this.#isFull || this.destroyed) return;
    if (this.#bytes.received - this.#bytes.confirmedToThem < CONFIRM_BYTES) return;
    this.#bytes.confirmedToThem = this.#bytes.received;
    const total = Buffer.alloc(6);
    total.writeUIntBE(this.#bytes.received, 0, 6);
    this.#message(KINDS.confirm, total);
  }

  #message(kind: number, content: Uint8Array): void {
    const number = this.#numbers.sent++;
    const head = Buffer.alloc(HEAD_BYTES);
    head[0] = kind;
    head.writeUIntBE(number, 1, 6);
    this.#options.send(this.#options.outgoing.close(head, number, [content]));
  }
}
