/**
 * Watches the events log of an agent: every record from the cursor on, exactly once, then the end. `ByteStream` does the
 * work; here bytes become lines, and lines become records. A line that is no JSON was torn by a kill in the middle of a
 * write: nobody was told of it, and it is skipped. Keeps EVT-2 in the client.
 */
import type { EventsFrom, EventsRecord, Requests } from '@spool/protocol';
import type { Requester } from '../link/requests.ts';
import { ByteStream, type ByteStreamOptions } from './byte-stream.ts';
import { Reading } from './reading.ts';
import type { WatchItem } from './watch-queue.ts';

export interface RecordWatchOptions extends ByteStreamOptions {
  /** Where to start (default: the first record that is kept): an offset in a record begins with that record. */
  readonly from?: number | 'start' | 'end' | undefined;
  /** Whether to leave a record out, by its first characters: then it is not even parsed. */
  readonly isLeftOut?: ((head: string) => boolean) | undefined;
}

export type RecordItem =
  /** `end` is the offset after it. */
  | { readonly type: 'record'; readonly offset: number; readonly end: number; readonly record: EventsRecord }
  | Extract<WatchItem, { readonly type: 'gap' | 'synced' | 'exit' | 'removed' }>;

/** The part of `TextDecoder` that is used here; every runtime has it. */
interface Utf8Decoder {
  decode(bytes: Uint8Array): string;
}
const { TextDecoder } = globalThis as unknown as { readonly TextDecoder: new () => Utf8Decoder };
const decoder = new TextDecoder();

const NEWLINE = 0x0a;
const HEAD_BYTES = 128;

export class RecordWatch extends Reading<RecordItem> {
  readonly #bytes: ByteStream;
  readonly #isLeftOut: RecordWatchOptions['isLeftOut'];
  readonly #ready: RecordItem[] = [];
  #parts: Uint8Array[] = [];
  #lineStart = 0;
  /** After a gap, the rest of a line that began in it. */
  #isSkipping = false;

  constructor(requester: Requester, session: string, options: RecordWatchOptions = {}) {
    super();
    const { from: asked = 'start' } = options;
    this.#isLeftOut = options.isLeftOut;
    const first: EventsFrom = typeof asked === 'number' ? { lineAt: asked } : asked;
    const bytes = new ByteStream(requester, session, options, {
      ask: (connection, creditBytes, channel) =>
        connection.open('watchEvents', { session: bytes.session, from: bytes.reached ?? first, creditBytes }, channel),
      onAnswer: (answer) => {
        const answered = answer as Requests['watchEvents']['answer'];
        if (bytes.reached !== undefined && answered.from !== bytes.reached)
          throw bytes.fault({ asked: bytes.reached, from: answered.from });
        bytes.settle(answered.id, answered.from);
      },
    });
    this.#bytes = bytes;
    bytes.start();
  }

  async next(): Promise<IteratorResult<RecordItem, undefined>> {
    for (;;) {
      const ready = this.#ready.shift();
      if (ready) return { done: false, value: ready };
      const { done, value } = (await this.#bytes.next()) as IteratorResult<WatchItem, undefined>;
      if (done === true) return { done, value: undefined };
      this.#take(value);
    }
  }

  /** Everything before this offset was read, whether or not it was a record. */
  get cursor(): number | undefined {
    return this.#bytes.cursor;
  }

  close(): void {
    this.#bytes.close();
  }

  #take(item: WatchItem): void {
    if (item.type === 'output') return this.#takeBytes(item.offset, item.bytes);
    if (item.type === 'gap') {
      this.#parts = [];
      this.#isSkipping = true;
    }
    if (item.type !== 'resized' && item.type !== 'reconnected') this.#ready.push(item);
  }

  #takeBytes(offset: number, bytes: Uint8Array): void {
    let from = 0;
    for (;;) {
      if (this.#parts.length === 0) this.#lineStart = offset + from;
      const newline = bytes.indexOf(NEWLINE, from);
      if (newline === -1) break;
      if (!this.#isSkipping) this.#takeLine(bytes.subarray(from, newline), offset + newline + 1);
      this.#isSkipping = false;
      this.#parts = [];
      from = newline + 1;
    }
    if (from < bytes.length && !this.#isSkipping) this.#parts.push(bytes.subarray(from));
  }

  #takeLine(last: Uint8Array, end: number): void {
    const first = this.#parts[0] ?? last;
    if (this.#isLeftOut?.(decoder.decode(first.subarray(0, HEAD_BYTES)))) return;
    const text = decoder.decode(this.#parts.length === 0 ? last : joined([...this.#parts, last]));
    const record = parsed(text);
    if (record) this.#ready.push({ type: 'record', offset: this.#lineStart, end, record });
  }
}

function parsed(text: string): EventsRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'type' in value ? (value as EventsRecord) : null;
  } catch {
    return null; // torn
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((bytes, part) => bytes + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
