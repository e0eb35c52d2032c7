/** What is piped or sent, on its way into a session. */
import type { Client } from '@spool/client';
import { SpoolError } from '@spool/protocol';
import { failureOf } from '../command-line/failure.ts';

/** How long to wait before a full queue is tried again. */
const RETRY_MS = 50;

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
