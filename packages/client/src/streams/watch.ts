/** Watches one session: every byte from the cursor on, exactly once, then the end. `ByteStream` does the work. */
import type { Requests, WatchFrom } from '@spool/protocol';
import type { Requester } from '../link/requests.ts';
import { ByteStream, type ByteStreamOptions } from './byte-stream.ts';
import { Reading } from './reading.ts';
import type { WatchItem } from './watch-queue.ts';

export { CREDIT_BYTES } from './byte-stream.ts';

export interface WatchOptions extends ByteStreamOptions {
  /** The start (default: the first byte that is kept). */
  readonly from?: WatchFrom | undefined;
  /** The session in whose terminal this is shown (SPOOL_SESSION): refused if the output would be copied in a circle. */
  readonly inside?: string | undefined;
}

export class Watch extends Reading<WatchItem> {
  readonly #bytes: ByteStream;

  constructor(requester: Requester, session: string, options: WatchOptions = {}) {
    super();
    // The start counts only until the first answer; after that, the cursor does.
    const from = (): WatchFrom => bytes.reached ?? options.from ?? 'start';
    const bytes = new ByteStream(requester, session, options, {
      ask: (connection, creditBytes, channel) =>
        connection.open(
          'watch',
          { session: bytes.session, from: from(), creditBytes, inside: options.inside },
          channel,
        ),
      onAnswer: (answer) => {
        const asked = from();
        const answered = answer as Requests['watch']['answer'];
        if (typeof asked === 'number' && answered.from !== asked) throw bytes.fault({ asked, from: answered.from });
        bytes.settle(answered.id, answered.from);
      },
    });
    this.#bytes = bytes;
    bytes.start();
  }

  /** The full id of the session, once the daemon has answered. */
  get id(): string | undefined {
    return this.#bytes.id;
  }

  /** The offset after the last byte that the reader has taken, for a later watch. */
  get cursor(): number | undefined {
    return this.#bytes.cursor;
  }

  get isEnded(): boolean {
    return this.#bytes.isEnded;
  }

  next(): Promise<IteratorResult<WatchItem, undefined>> {
    return this.#bytes.next() as Promise<IteratorResult<WatchItem, undefined>>;
  }

  close(): void {
    this.#bytes.close();
  }
}
