/**
 * The SDK's runtime for gateways, with the additions of a page: it notes when the daemon was last heard, and that its token was
 * refused. Keeps PAGE-16, with `main.tsx`.
 */
import { gatewayAddress, remoteRuntime, type Runtime, SpoolError, type Transport } from '@spool/client/remote';
import { dropPass, takePass } from './pass.ts';

/** The ping interval of a hidden page: half a minute. A visible page pings by itself (`daemon.ts`). */
const HIDDEN_SILENCE = { askAfterMs: 30_000, cutAfterMs: 10_000 } as const;

export interface LinkListener {
  /** Called when bytes of the daemon have arrived. */
  onHeard(): void;
  onClose(): void;
  /** Called when the token of this browser was revoked, or has expired. */
  onRefused(): void;
}

export function pageRuntime(url: string, listener: LinkListener): Runtime {
  const address = gatewayAddress(url);
  return {
    ...remoteRuntime(address),
    silence: HIDDEN_SILENCE,
    async dial(signal) {
      try {
        return observed(await withPass((pass) => remoteRuntime(address, pass).dial(signal)), listener);
      } catch (error) {
        if (isRefusal(error)) listener.onRefused();
        throw error;
      }
    },
    nodes: {
      at: (node) => ({
        ...remoteRuntime(address),
        silence: HIDDEN_SILENCE,
        dial: (signal) => withPass((pass) => remoteRuntime(address, pass).nodes!.at(node).dial(signal)),
      }),
      async *follow(signal) {
        yield* await withPass(async (pass) => remoteRuntime(address, pass).nodes!.follow(signal));
      },
    },
  };
}

/** Uses a pass. A refused pass may belong to another gateway; a fresh one decides. */
async function withPass<T>(use: (pass: string) => Promise<T>): Promise<T> {
  for (;;) {
    const { text, isFresh } = await takePass();
    try {
      return await use(text);
    } catch (error) {
      dropPass(text);
      if (isFresh || !isRefusal(error)) throw error;
    }
  }
}

/** Returns whether this browser is refused, now and later, without a new launch address. */
export function isRefusal(error: unknown): boolean {
  return (['TOKEN_REFUSED', 'TOKEN_MISSING', 'NOT_ALLOWED'] as const).some((code) => SpoolError.is(error, code));
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
