/** Writes piped or sent input to a session. Keeps IN-20. */
import { randomUUID } from 'node:crypto';
import type { RequestClient } from '@spool/client';
import { SpoolError } from '@spool/protocol';
import { failureOf } from '../command-line/failure.ts';

/** Delay before retrying a full queue. */
const RETRY_MS = 50;

/** The cases in which the end of the stream ends the session's input. */
export type EndsInput = 'always' | 'after-input' | 'never';

/**
 * Forwards a stream: each piece is sent after the previous one has arrived, and arrives once, even if the daemon's keeper is
 * replaced meanwhile. Resolves at the end of the stream, or when the session accepts no more input.
 */
export async function pipeInput(
  client: RequestClient,
  session: string,
  source: AsyncIterable<Uint8Array>,
  { endsInput, tell }: { endsInput: EndsInput; tell: (trouble: string) => void },
): Promise<void> {
  const key = randomUUID();
  let pieces = 0;
  try {
    try {
      for await (const bytes of source) {
        const pieceKey = `${key}-${pieces++}`;
        await whenTaken(() => client.writeOnce(session, pieceKey, bytes));
      }
    } catch (error) {
      if (hasNoInput(error)) return;
      tell(`stdin is no longer forwarded: ${failureOf(error).message}`);
    }
    // This also happens after a failure: a program that waits for more input would wait forever.
    if (endsInput === 'always' || (endsInput === 'after-input' && pieces > 0)) await client.closeInput(session);
  } catch (error) {
    if (!hasNoInput(error)) tell(`the end of stdin was not forwarded: ${failureOf(error).message}`);
  }
}

/** Sends bytes as soon as there is room for them. */
export async function writeWhenTaken(
  client: RequestClient,
  session: string,
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<void> {
  await whenTaken(() => client.write(session, bytes), signal);
}

/** Retries while the queue is full. A refused write is refused whole, so it can be sent again. */
async function whenTaken(write: () => Promise<unknown>, signal?: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await write();
      return;
    } catch (error) {
      if (!SpoolError.is(error, 'INPUT_QUEUE_FULL') || signal?.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

function hasNoInput(error: unknown): boolean {
  return SpoolError.is(error, 'SESSION_EXITED') || SpoolError.is(error, 'INPUT_CLOSED');
}
