/** The SDK over a guarded link: routes call it, and the guard decides about each request. */
import { Client, type Transport } from '@spool/client';
import { encodeJson, FrameType, toWireError } from '@spool/protocol';
import type { Principal } from '../auth/principal.ts';
import { runtimeOver } from './client-runtime.ts';
import type { FrameGate, FrameLink } from './guarded-link.ts';

/** The limit for a reconnection: a keeper that is being replaced is back long before. */
const RECONNECT_MS = 5000;

export function guardedClient(gate: FrameGate, principal: Principal): Client {
  const runtime = runtimeOver(async () => new GuardedTransport(gate, principal));
  return new Client(runtime, { reconnectMs: RECONNECT_MS });
}

class GuardedTransport implements Transport {
  readonly #link: FrameLink;
  #isClosed = false;
  onData: (chunk: Uint8Array) => void = () => {};
  onClose: (error?: Error) => void = () => {};

  constructor(gate: FrameGate, principal: Principal) {
    this.#link = gate.open(principal, {
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

  /**
   * Sends bytes. Never throws: the SDK also sends while it ends a request, from the listener of an abort signal. A refusal of the
   * guard, for example because the token was revoked, arrives as the last message of the other side; there is no retry after it.
   */
  send(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    try {
      this.#link.send(bytes);
    } catch (error) {
      this.#isClosed = true;
      this.#link.close();
      queueMicrotask(() => this.onData(encodeJson(FrameType.error, 0, toWireError(error))));
    }
  }

  close(): void {
    this.#link.close();
  }
}
