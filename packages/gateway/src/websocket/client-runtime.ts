/** The runtime of the SDK inside the gateway: its clients dial through the gateway's own objects, not through sockets. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Runtime, Transport } from '@spool/client';

export function runtimeOver(dial: () => Promise<Transport>): Runtime {
  return {
    dial,
    async sleep(ms, signal) {
      const aborting = new AbortController();
      const abort = (): void => aborting.abort();
      signal?.addEventListener('abort', abort);
      await sleep(signal?.aborted ? 0 : ms, undefined, { signal: aborting.signal }).catch(() => {}); // aborted: it has ended
      signal?.removeEventListener('abort', abort);
    },
    now: () => performance.now(),
    randomId: () => `w${randomBytes(6).toString('hex').slice(0, 9)}`,
  };
}
