/**
 * The input of one attachment: a stream of bytes with its own offsets, so that it arrives exactly once.
 *
 * Bytes that are not confirmed to be in the terminal are kept. After a break the other side reports its offset, and the rest is
 * sent again from there. The buffer is bounded: beyond it, typing waits.
 */
import { INPUT_BYTES_MAX } from '@spool/protocol';

/** The size of the buffer, the same as a keeper queues for a session. */
export const TYPED_BYTES_MAX = 1024 * 1024;

const JOINED_BYTES_MAX = 1024;

export type SendTyped = (offset: number, bytes: Uint8Array) => void;

export class TypedStream {
  /** The unconfirmed bytes, in order, the first at `#confirmed`. */
  readonly #kept: Uint8Array[] = [];
  #confirmed = 0;
  #end = 0;
  /** Typed bytes for which there is no room yet. */
  readonly #waiting: { bytes: Uint8Array; readonly taken: () => void }[] = [];
  readonly #settling: (() => void)[] = [];
  #send: SendTyped | null = null;
  #isEnded = false;

  get unconfirmedBytes(): number {
    return this.#end - this.#confirmed;
  }

  /** The offset of the next byte. */
  get endOffset(): number {
    return this.#end;
  }

  /** Resolves when the bytes are stored here: at once, unless too many are in flight. They are copied. */
  type(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0 || this.#isEnded) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ bytes: new Uint8Array(bytes), taken: resolve });
    this.#admit();
    return promise;
  }

  /** Whether typed bytes may be sent past this stream: nothing waits, and the link is open. */
  get isPassable(): boolean {
    return this.#send !== null && this.#waiting.length === 0 && this.#settling.length === 0;
  }

  get confirmed(): number {
    return this.#confirmed;
  }

  /**
   * Notes that these bytes were sent past this stream, from `offset` on; all that were sent before them are confirmed unless they
   * are stored here.
   */
  passed(offset: number, bytes: Uint8Array, confirmed: number): void {
    if (offset > this.#end) {
      this.confirm(this.#end);
      this.#end = this.#confirmed = offset;
    }
    if (bytes.length > 0) this.#keep(new Uint8Array(bytes));
    this.#end += bytes.length;
    this.confirm(confirmed);
  }

  /** Resolves when all input so far is confirmed or refused, or can no longer arrive. */
  settled(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#settling.push(resolve);
    this.#settle();
    return promise;
  }

  /**
   * Continues with another connection, whose side has all bytes before `offset`. Returns false if it has less than was confirmed:
   * then it is unknown which of the rest has arrived, and the rest is dropped rather than typed twice.
   */
  resume(offset: number, send: SendTyped): boolean {
    this.#send = send;
    const isKnown = offset >= this.#confirmed && offset <= this.#end;
    if (isKnown) {
      this.confirm(offset);
      let at = this.#confirmed;
      for (const bytes of this.#kept) {
        this.#put(at, bytes);
        at += bytes.length;
      }
    } else {
      this.#kept.length = 0;
      this.#confirmed = offset;
      this.#end = offset;
    }
    this.#admit();
    return isKnown;
  }

  /** Stores input from now on, because the link is gone. */
  pause(): void {
    this.#send = null;
  }

  /** Notes that all bytes before `offset` have arrived, or never will: either way they are not sent again. */
  confirm(offset: number): void {
    let left = Math.min(offset, this.#end) - this.#confirmed;
    if (left <= 0) return;
    this.#confirmed += left;
    while (left > 0) {
      const first = this.#kept[0]!;
      if (first.length > left) {
        this.#kept[0] = first.subarray(left);
        break;
      }
      this.#kept.shift();
      left -= first.length;
    }
    this.#admit();
  }

  /** Ends the stream; releases every waiting caller. */
  end(): void {
    this.#isEnded = true;
    this.#send = null;
    this.#kept.length = 0;
    this.#confirmed = this.#end;
    for (const { taken } of this.#waiting.splice(0)) taken();
    this.#settle();
  }

  #admit(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const room = TYPED_BYTES_MAX - this.unconfirmedBytes;
      if (room <= 0) break;
      const bytes = first.bytes.subarray(0, room);
      this.#keep(bytes);
      this.#end += bytes.length;
      this.#put(this.#end - bytes.length, bytes);
      first.bytes = first.bytes.subarray(bytes.length);
      if (first.bytes.length > 0) continue;
      this.#waiting.shift();
      first.taken();
    }
    this.#settle();
  }

  /** Keeps bytes. Unread keys are many small pieces: they are joined, so that they cost no more than their bytes. */
  #keep(bytes: Uint8Array): void {
    const last = this.#kept.at(-1);
    if (last === undefined || last.length + bytes.length > JOINED_BYTES_MAX) {
      this.#kept.push(bytes);
      return;
    }
    const joined = new Uint8Array(last.length + bytes.length);
    joined.set(last);
    joined.set(bytes, last.length);
    this.#kept[this.#kept.length - 1] = joined;
  }

  #put(offset: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += INPUT_BYTES_MAX)
      this.#send?.(offset + at, bytes.subarray(at, at + INPUT_BYTES_MAX));
  }

  #settle(): void {
    if (this.unconfirmedBytes > 0 || this.#waiting.length > 0) return;
    for (const resolve of this.#settling.splice(0)) resolve();
  }
}
