/**
 * A stream of bytes over messages that may get lost, for HTTP/2. Each message has a number; a missing one ends the stream, and its clients continue
 * by offset over the next one. The receiver confirms the bytes that it has read, and
 * grants a window for the next ones; the sender never has more unconfirmed bytes than that, so that a reader that stands still fills no queue of a
 * server. Keeps NODE-51 and NODE-52.
 */
import { Duplex } from 'node:stream';
import { type Seal, TAG_BYTES } from './sealing.ts';
import { FIRST_WINDOW_BYTES, GRANT_MS, LINK_BYTES_MAX, type WindowPool } from './window-pool.ts';

/** The maximum of a message, without its head. */
const MESSAGE_BYTES_MAX = 32 * 1024;

/** The time after which read bytes are confirmed, although they are few. */
const CONFIRM_MS = 20;

/** A message is its kind, its number in its direction, and the sealed content. */
const HEAD_BYTES = 7;
/** A confirmation has the number of all read bytes, and the window for the next ones. */
const CONFIRM_BYTES = 10;
export const KINDS = { open: 1, accept: 2, refuse: 3, data: 4, confirm: 5, close: 6 } as const;

export interface MessageDuplexOptions {
  readonly outgoing: Seal;
  readonly incoming: Seal;
  /** The windows of the links that arrive on the same connection. */
  readonly windows: WindowPool;
  send(message: Buffer): void;
}

type WriteCallback = (error?: Error | null) => void;

export class MessageDuplex extends Duplex {
  readonly #options: MessageDuplexOptions;
  readonly #sending: Buffer[] = [];
  #written: WriteCallback | null = null;
  readonly #numbers = { sent: 0, received: 0 };
  readonly #bytes = { sent: 0, confirmed: 0, received: 0, confirmedToThem: 0 };
  /** The window that the other side has granted, and the time of the grant. */
  #window = { bytes: FIRST_WINDOW_BYTES, at: Number.NEGATIVE_INFINITY };
  /** The window that was granted to the other side. */
  #granted = FIRST_WINDOW_BYTES;
  #timer: NodeJS.Timeout | null = null;
  #isFull = false;

  constructor(options: MessageDuplexOptions) {
    super({ allowHalfOpen: false });
    this.#options = options;
    options.windows.add(this);
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
        if (this.#bytes.received - this.#bytes.confirmedToThem > LINK_BYTES_MAX) return void this.destroy();
        this.#isFull = !this.push(content);
        return this.#confirm();
      case KINDS.confirm: {
        if (content.length !== CONFIRM_BYTES) return void this.destroy();
        const confirmed = content.readUIntBE(0, 6);
        if (confirmed < this.#bytes.confirmed || confirmed > this.#bytes.sent) return void this.destroy();
        this.#bytes.confirmed = confirmed;
        this.#window = { bytes: content.readUInt32BE(6), at: performance.now() };
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
    this.#options.windows.remove(this);
    if (this.#timer) clearTimeout(this.#timer);
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
    if (bytes.length > 0) this.#sending.push(bytes);
    this.#written = written;
    this.#send();
  }

  #send(): void {
    const isValid = performance.now() - this.#window.at < GRANT_MS;
    const limit = isValid ? Math.min(LINK_BYTES_MAX, this.#window.bytes) : FIRST_WINDOW_BYTES;
    for (let next = this.#sending[0]; next !== undefined; next = this.#sending[0]) {
      const room = limit - this.unconfirmedBytes;
      if (room <= 0) return;
      const part = next.subarray(0, Math.min(room, MESSAGE_BYTES_MAX));
      if (part.length < next.length) this.#sending[0] = next.subarray(part.length);
      else this.#sending.shift();
      this.#bytes.sent += part.length;
      this.#message(KINDS.data, part);
    }
    const written = this.#written;
    this.#written = null;
    written?.();
  }

  /** Confirms read bytes: at once when they are a part of the window, a moment later when they would fill the first one. */
  #confirm(): void {
    if (this.#isFull || this.destroyed) return;
    const unconfirmed = this.#bytes.received - this.#bytes.confirmedToThem;
    if (unconfirmed >= this.#granted / 4) return this.#sayConfirmed();
    if (unconfirmed < FIRST_WINDOW_BYTES / 2) return;
    this.#timer ??= setTimeout(() => this.#sayConfirmed(), CONFIRM_MS);
  }

  #sayConfirmed(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#isFull) return; // confirmed when it is read
    this.#bytes.confirmedToThem = this.#bytes.received;
    this.#granted = this.#options.windows.grant(this);
    const content = Buffer.alloc(CONFIRM_BYTES);
    content.writeUIntBE(this.#bytes.received, 0, 6);
    content.writeUInt32BE(this.#granted, 6);
    this.#message(KINDS.confirm, content);
  }

  #message(kind: number, content: Uint8Array): void {
    const number = this.#numbers.sent++;
    const head = Buffer.alloc(HEAD_BYTES);
    head[0] = kind;
    head.writeUIntBE(number, 1, 6);
    this.#options.send(this.#options.outgoing.close(head, number, [content]));
  }
}
