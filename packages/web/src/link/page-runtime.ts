/**
 * The SDK's runtime for gateways, with what a page adds: it knows when the daemon was last heard, and that its token was refused.
 * Keeps PAGE-16, with `main.tsx`.
 */
import { gatewayAddress, remoteRuntime, type Runtime, SpoolError, type Transport } from '@spool/client/remote';

/** Of a page that nobody sees: one question in half a minute. A page that is seen asks by itself (`daemon.ts`). */
const HIDDEN_SILENCE = { askAfterMs: 30_000, cutAfterMs: 10_000 } as const;

export interface LinkListener {
  /** Bytes of the daemon have arrived. */
  onHeard(): void;
  onClose(): void;
  /** The token of this browser was revoked, or has expired. */
  onRefused(): void;
}

export function pageRuntime(url: string, listener: LinkListener): Runtime {
  const base = remoteRuntime(gatewayAddress(url));
  return {
    ...base,
    silence: HIDDEN_SILENCE,
    async dial(signal) {
      const transport = await base.dial(signal).catch((error: unknown) => {
        if (isRefusal(error)) listener.onRefused();
        throw error;
      });
      return observed(transport, listener);
    },
  };
}

/** This browser may not come in, now or later, without a new launch address. */
export function isRefusal(error: unknown): boolean {
  return SpoolError.is(error, 'TOKEN_REFUSED') || SpoolError.is(error, 'NOT_ALLOWED');
}

function observed(transport: Transport, listener: LinkListener): Transport {
  const outer: Transport = {
    send: (bytes) => transport.send(bytes),
    get bufferedBytes() {
      return transport.bufferedBytes;
    },
    drained: () => transport.drained(),
    close: () => transport.close(),
    onData: () => {},
    onClose: () => {},
  };
  transport.onData = (chunk) => {
    listener.onHeard();
    outer.onData(chunk);
  };
  transport.onClose = (error) => {
    listener.onClose();
    outer.onClose(error);
  };
  return outer;
}
