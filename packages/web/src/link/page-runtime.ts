/**
 * The SDK's runtime for gateways, with what a page adds: it knows whether the link is up, and a page that wakes up gives up
 * a socket that may be dead, instead of waiting until its silence is noticed. Keeps PAGE-16, with `main.tsx`.
 */
import { gatewayAddress, remoteRuntime, type Runtime, SpoolError, type Transport } from '@spool/client/remote';

/** A socket that was silent for this long while the page slept is not trusted: a new one costs less than waiting. */
const SILENT_MS_MAX = 15_000;

export interface LinkListener {
  onOpen(): void;
  onClose(): void;
  /** The token of this browser was revoked, or has expired. */
  onRefused(): void;
}

export interface PageRuntime extends Runtime {
  /** The page woke up. */
  check(): void;
}

export function pageRuntime(url: string, listener: LinkListener): PageRuntime {
  const base = remoteRuntime(gatewayAddress(url));
  let current: { readonly transport: Transport; heardAt: number } | null = null;
  return {
    ...base,
    async dial(signal) {
      const transport = await base.dial(signal).catch((error: unknown) => {
        if (SpoolError.is(error, 'TOKEN_REFUSED')) listener.onRefused();
        throw error;
      });
      const mine = { transport, heardAt: Date.now() };
      current = mine;
      listener.onOpen();
      return observed(transport, {
        onHeard: () => (mine.heardAt = Date.now()),
        onClose: () => {
          if (current === mine) current = null;
          listener.onClose();
        },
      });
    },
    check() {
      if (current !== null && Date.now() - current.heardAt > SILENT_MS_MAX) current.transport.close();
    },
  };
}

function observed(transport: Transport, observer: { onHeard(): void; onClose(): void }): Transport {
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
    observer.onHeard();
    outer.onData(chunk);
  };
  transport.onClose = (error) => {
    observer.onClose();
    outer.onClose(error);
  };
  return outer;
}
