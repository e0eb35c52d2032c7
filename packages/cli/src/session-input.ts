/** What is typed or piped, on its way into a session. */
import type { Client } from '@spool/client';
import { SpoolError } from '@spool/protocol';
import { failureOf } from './failure.ts';

/**
 * Above the first, what is typed waits in the terminal; below the second, it is read again. Half of what the keeper queues
 * for a session, so a long paste by one person alone is never refused.
 */
const IN_FLIGHT_BYTES_HIGH = 512 * 1024;
const IN_FLIGHT_BYTES_LOW = 64 * 1024;

/** How long to wait before a full queue is tried again. */
const RETRY_MS = 50;

/**
 * Typing: each piece goes out at once, unconfirmed pieces are bounded. A session that does not read its input costs what
 * was typed, and the person is told, once until it reads again.
 */
export class Typing {
  readonly #client: Client;
  readonly #session: string;
  readonly #source: NodeJS.ReadStream;
  readonly #tell: (trouble: string) => void;
  #inFlightBytes = 0;
  #isTold = false;

  constructor(client: Client, session: string, source: NodeJS.ReadStream, tell: (trouble: string) => void) {
    this.#client = client;
    this.#session = session;
    this.#source = source;
    this.#tell = tell;
  }

  type(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#inFlightBytes += bytes.length;
    if (this.#inFlightBytes > IN_FLIGHT_BYTES_HIGH) {
      this.#source.pause();
      this.#tellOnce('the session does not read its input; what you type waits');
    }
    this.#client.write(this.#session, bytes).then(
      () => {
        this.#isTold = false;
        this.#landed(bytes.length);
      },
      (error: unknown) => {
        this.#landed(bytes.length);
        // The end of the session is told by its watch, with more to say about it.
        if (SpoolError.is(error, 'SESSION_EXITED') || SpoolError.is(error, 'INPUT_CLOSED')) return;
        this.#tellOnce(failureOf(error).message);
      },
    );
  }

  #tellOnce(trouble: string): void {
    if (!this.#isTold) this.#tell(trouble);
    this.#isTold = true;
  }

  #landed(bytes: number): void {
    this.#inFlightBytes -= bytes;
    if (this.#inFlightBytes < IN_FLIGHT_BYTES_LOW && this.#source.isPaused()) this.#source.resume();
  }
}

/**
 * A stream from another program: one piece after the other, each when the one before has arrived, nothing dropped. Resolves
 * at its end, or when the session takes no more.
 */
export async function pipeInput(
  client: Client,
  session: string,
  source: AsyncIterable<Uint8Array>,
  { closesAtEnd, tell }: { closesAtEnd: boolean; tell: (trouble: string) => void },
): Promise<void> {
  try {
    for await (const bytes of source) await writeWhenTaken(client, session, bytes);
    if (closesAtEnd) await client.closeInput(session);
  } catch (error) {
    if (SpoolError.is(error, 'SESSION_EXITED') || SpoolError.is(error, 'INPUT_CLOSED')) return;
    tell(`standard input is not forwarded any further: ${failureOf(error).message}`);
  }
}

/** A full queue is waited for; nothing of the refused write was taken, so it is simply sent again. */
export async function writeWhenTaken(
  client: Client,
  session: string,
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      return await client.write(session, bytes);
    } catch (error) {
      if (!SpoolError.is(error, 'INPUT_QUEUE_FULL') || signal?.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
