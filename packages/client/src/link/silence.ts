/**
 * Cuts a connection whose other end has died without a word: a pulled cable, a laptop that slept, a proxy that forgot us.
 * Keeps REM-2: a dead network is noticed in seconds, and the client then continues as after any other break.
 *
 * The question is an `unwatch` of a channel that nobody uses: every daemon knows it, every role may ask it, and it changes
 * nothing. It goes all the way to the keeper, so a gateway that has lost its daemon is noticed too.
 */
import { SpoolError } from '@spool/protocol';
import type { Connection } from './connection.ts';
import { abortController, type Runtime, type Silence } from './runtime.ts';

/** Channels are counted from 1. */
const UNUSED_CHANNEL = 0;

export async function cutWhenSilent(connection: Connection, runtime: Runtime, silence: Silence): Promise<void> {
  const { askAfterMs, cutAfterMs } = silence;
  const { ended } = connection;
  while (!ended.aborted) {
    const quietMs = runtime.now() - connection.receivedAt;
    if (quietMs < askAfterMs) await runtime.sleep(askAfterMs - quietMs, ended);
    else await cutUnlessAlive(connection, runtime, cutAfterMs);
  }
}

/** Asks for a sign of life, and gives the connection up if none comes in time. */
export async function cutUnlessAlive(connection: Connection, runtime: Runtime, cutAfterMs: number): Promise<void> {
  const over = abortController();
  const onOver = (): void => over.abort();
  connection.request('unwatch', { channel: UNUSED_CHANNEL }).then(onOver, onOver); // any answer is a sign of life
  const askedAt = runtime.now();
  await runtime.sleep(cutAfterMs, over.signal);
  // A program that was suspended itself finds its timer over before it has read what came meanwhile: it asks again.
  const wasSuspended = runtime.now() - askedAt > 2 * cutAfterMs;
  if (over.signal.aborted || connection.receivedAt >= askedAt || wasSuspended) return;
  const quietMs = Math.round(runtime.now() - connection.receivedAt);
  connection.fail(new SpoolError('CONNECTION_LOST', { reason: `no sign of life for ${quietMs} ms` }));
}
