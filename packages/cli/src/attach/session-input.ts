/** Writes piped or sent input to a session. */
import type { Client } from '@spool/client';
import { SpoolError } from '@spool/protocol';
import { failureOf } from '../command-line/failure.ts';

/** Delay before retrying a full queue. */
const RETRY_MS = 50;

/**
 * Forwards a stream: each piece is sent after the previous one has arrived, and none is dropped. Resolves at the end of the
 * stream, or when the session accepts no more input.
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
    tell(`stdin is no longer forwarded: ${failureOf(error).message}`);
  }
}

/** Retries while the queue is full. A refused write is refused whole, so it can be sent again. */
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
