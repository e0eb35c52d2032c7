/**
 * The SDK for a remote daemon, in any runtime with the web's WebSocket: `await using client = await connect({ url, token })`.
 *
 * The client is the same as on the daemon's machine: with the same frames, it gives the same guarantees. Sessions start in the home
 * folder and with the environment of the daemon's user, because the caller's own do not exist there. Keeps REM-11, with the streams
 * and the link: a network that breaks again and again costs only time.
 */
import { Client } from '../client.ts';
import type { Runtime } from '../link/runtime.ts';
import { newsOn } from '../nodes/news.ts';
import { openOrClose } from '../request-client.ts';
import { type GatewayAddress, gatewayAddress } from './address.ts';
import { REMOTE, REMOTE_RECONNECT_MS } from './remote-runtime.ts';
import { dialWebSocket } from './web-socket-transport.ts';

export { type GatewayAddress, gatewayAddress } from './address.ts';
export { refusalOf } from './refusal.ts';
export * from '../index.ts';

export interface RemoteOptions {
  /** The address of the gateway, as `spool web` prints it, without the code: `https://host[:port][/base]`. */
  readonly url: string;
  /** The token from `spool token create`. The gateway refuses a client without one: it accepts no cookies. */
  readonly token?: string | undefined;
  /** The time to try to restore a broken link before CONNECTION_LOST (default: 2 minutes). */
  readonly reconnectMs?: number | undefined;
  /** The name of this client, shown as viewer and as the source of input (default: `remote`). */
  readonly who?: string | undefined;
}

/** Returns a client whose gateway and daemon have answered, so that errors are reported here instead of at the first request. */
export async function connect(options: RemoteOptions): Promise<Client> {
  const { reconnectMs = REMOTE_RECONNECT_MS, who = 'remote' } = options;
  return await openOrClose(new Client(remoteRuntime(gatewayAddress(options.url), options.token), { reconnectMs, who }));
}

export function remoteRuntime(address: GatewayAddress, token?: string): Runtime {
  return {
    ...REMOTE,
    dial: (signal) => dialWebSocket({ address, token }, signal),
    nodes: {
      at: (node) => ({
        ...REMOTE,
        dial: (signal) => dialWebSocket({ address: nodeAddress(address, node), token }, signal),
      }),
      async *follow(signal) {
        yield* newsOn(await dialWebSocket({ address: nodesAddress(address), token }, signal), signal);
      },
    },
  };
}

/** Returns the address at which the gateway relays frames to a node. */
function nodeAddress(address: GatewayAddress, node: string): GatewayAddress {
  return { ...address, socketUrl: `${address.socketUrl}?node=${encodeURIComponent(node)}` };
}

/** Returns the address at which the gateway reports its nodes. */
function nodesAddress(address: GatewayAddress): GatewayAddress {
  return { ...address, socketUrl: `${address.socketUrl}?follow=nodes` };
}
