/**
 * Cuts a connection whose other end has failed silently: a pulled cable, a laptop that slept, a proxy that dropped it. Keeps
 * REM-2: a dead network is detected in seconds, and the client then continues as after any other break.
 *
 * The ping is an `unwatch` of an unused channel: every daemon knows it, every role may send it, and it has no effect. The keeper
 * itself answers it, so a gateway that has lost its daemon is detected too.
 */
import { SpoolError } from '@spool/protocol';
import type { Connection } from './connection.ts';
import { abortController } from './abort.ts';
import type { Runtime, SilenceLimits } from './runtime.ts';

/** The unused channel: channels are counted from 1. */
const UNUSED_CHANNEL = 0;

export async function cutWhenSilent(connection: Connection, runtime: Runtime, silence: SilenceLimits): Promise<void> {
  const { askAfterMs, cutAfterMs } = silence;
  const { ended } = connection;
  while (!ended.aborted) {
    const quietMs = runtime.now() - connection.receivedAt;
    if (quietMs < askAfterMs) await runtime.sleep(askAfterMs - quietMs, ended);
    else await cutUnlessAlive(connection, runtime, cutAfterMs);
  }
}

/** Pings the peer, and gives the connection up if no data comes in time. */
export async function cutUnlessAlive(connection: Connection, runtime: Runtime, cutAfterMs: number): Promise<void> {
  const over = abortController();
  const onOver = (): void => over.abort();
  connection.request('unwatch', { channel: UNUSED_CHANNEL }).then(onOver, onOver); // any answer shows that the peer is alive
  const askedAt = runtime.now();
  await runtime.sleep(cutAfterMs, over.signal);
  // A program that was itself suspended finds its timer expired before it has read the received data, so it pings again.
  const wasSuspended = runtime.now() - askedAt > 2 * cutAfterMs;
  if (over.signal.aborted || connection.receivedAt >= askedAt || wasSuspended) return;
  const quietMs = Math.round(runtime.now() - connection.receivedAt);
  connection.fail(new SpoolError('CONNECTION_LOST', { reason: `no sign of life for ${quietMs} ms` }));
}
