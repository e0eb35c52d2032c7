/**
 * Watches the events log of an agent: every record from the cursor on, exactly once, then the end. `ByteStream` does the work; here
 * bytes become lines, and lines become records. A line that is not JSON was cut by a kill in the middle of a write: no client
 * received it, and it is skipped. Keeps EVT-2 in the client.
 */
import type { EventsFrom, EventsRecord, Requests } from '@spool/protocol';
import { type FramedLine, LineFraming } from '@spool/protocol/line-framing';
import type { Requester } from '../link/requests.ts';
import { ByteStream, type ByteStreamOptions } from './byte-stream.ts';
import { Reading } from './reading.ts';
import type { WatchItem } from './watch-queue.ts';

export interface RecordWatchOptions extends ByteStreamOptions {
  /** The start (default: the first record in the log); an offset inside a record selects that record. */
  readonly from?: number | 'start' | 'end' | undefined;
  /** Returns whether to skip a record, by its first characters, without parsing it. */
  readonly isLeftOut?: ((head: string) => boolean) | undefined;
}

export type RecordItem =
  /** A record; `end` is the offset after it. */
  | { readonly type: 'record'; readonly offset: number; readonly end: number; readonly record: EventsRecord }
  | Extract<WatchItem, { readonly type: 'gap' | 'synced' | 'exit' | 'removed' }>;

/** The maximum size of a record; a longer one is skipped, because the daemon appends none. */
const RECORD_BYTES_MAX = 16 * 1024 * 1024;
const HEAD_BYTES = 128;

export class RecordWatch extends Reading<RecordItem> {
  readonly #bytes: ByteStream;
  readonly #isLeftOut: RecordWatchOptions['isLeftOut'];
  readonly #ready: RecordItem[] = [];
  readonly #lines = new LineFraming({ bytesMax: RECORD_BYTES_MAX });

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

  /** The offset up to which all bytes were read, including those that are not records. */
  get cursor(): number | undefined {
    return this.#bytes.cursor;
  }

  close(): void {
    this.#bytes.close();
  }

  #take(item: WatchItem): void {
    if (item.type === 'output') for (const line of this.#lines.push(item.bytes, item.offset)) this.#takeLine(line);
    else if (item.type === 'gap') this.#lines.skip();
    if (item.type !== 'output' && item.type !== 'resized' && item.type !== 'reconnected') this.#ready.push(item);
  }

  #takeLine(line: FramedLine): void {
    if (this.#isLeftOut?.(line.head(HEAD_BYTES))) return;
    const record = parsed(line.text);
    if (record) this.#ready.push({ type: 'record', offset: line.offset, end: line.end, record });
  }
}

function parsed(text: string): EventsRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'type' in value ? (value as EventsRecord) : null;
  } catch {
    return null; // a line that was cut
  }
}
