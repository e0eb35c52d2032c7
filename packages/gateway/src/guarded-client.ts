/** The SDK over a guarded link: routes call it, and the guard decides what it may do. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Transport } from '@spool/client';
import type { Guardian } from './guardian.ts';
import type { Principal } from './principal.ts';

/** A keeper that is being replaced is back long before. */
const RECONNECT_MS = 5000;

export function guardedClient(guardian: Guardian, principal: Principal): Client {
  return new Client(
    {
      dial: async () => new GuardedTransport(guardian, principal),
      async sleep(ms, signal) {
        const aborting = new AbortController();
        const abort = (): void => aborting.abort();
        signal?.addEventListener('abort', abort);
        await sleep(signal?.aborted ? 0 : ms, undefined, { signal: aborting.signal }).catch(() => {}); // aborted: it is over
        signal?.removeEventListener('abort', abort);
      },
      now: () => performance.now(),
      randomId: () => `w${randomBytes(6).toString('hex').slice(0, 9)}`,
    },
    { reconnectMs: RECONNECT_MS },
  );
}

class GuardedTransport implements Transport {
  readonly #link: ReturnType<Guardian['open']>;
  #isClosed = false;
  onData: (chunk: Uint8Array) => void = () => {};
  onClose: (error?: Error) => void = () => {};

  constructor(guardian: Guardian, principal: Principal) {
    this.#link = guardian.open(principal, {
      onData: (bytes) => this.onData(bytes),
      onClose: () => {
        this.#isClosed = true;
        this.onClose();
      },
    });
  }

  get bufferedBytes(): number {
    return this.#link.bufferedBytes;
  }

  async drained(): Promise<void> {
    if (this.#isClosed || this.bufferedBytes === 0) return;
    await new Promise<void>((resolve) => this.#link.onDrain(resolve));
  }

  send(bytes: Uint8Array): void {
    this.#link.send(bytes);
  }

  close(): void {
    this.#link.close();
  }
}
