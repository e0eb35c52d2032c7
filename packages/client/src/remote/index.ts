/**
 * The SDK for a remote daemon, in any runtime with the web's WebSocket: `await using client = await connect({ url, token })`.
 *
 * The client is the same as on the machine of the daemon: the same frames, so the same guarantees. Sessions start in the home
 * folder and with the environment of the daemon's user, because the caller's own do not exist there. Keeps REM-11, with the
 * streams and the link: a network that breaks again and again costs only time.
 */
import { Client } from '../client.ts';
import { abortController, type AbortSignalLike, type Runtime } from '../link/runtime.ts';
import { openOrClose } from '../request-client.ts';
import { type GatewayAddress, gatewayAddress } from './address.ts';
import { web } from './web-globals.ts';
import { dialWebSocket } from './web-socket-transport.ts';

export { type GatewayAddress, gatewayAddress } from './address.ts';
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

/** The default: a network may be unreachable for longer than a daemon, as for a train in a tunnel, or a laptop that wakes up. */
export const REMOTE_RECONNECT_MS = 120_000;

/**
 * The limits of silence: a dead network reports nothing, so a silent peer is pinged, and given up if it stays silent. Proxies
 * commonly cut connections that are silent for a minute; the ping also prevents that.
 */
export const REMOTE_SILENCE = { askAfterMs: 10_000, cutAfterMs: 5000 } as const;

/** Returns a client whose gateway and daemon have answered: errors are reported here, and not at the first request. */
export async function connect(options: RemoteOptions): Promise<Client> {
  const { reconnectMs = REMOTE_RECONNECT_MS, who = 'remote' } = options;
  return await openOrClose(new Client(remoteRuntime(gatewayAddress(options.url), options.token), { reconnectMs, who }));
}

export function remoteRuntime(address: GatewayAddress, token?: string): Runtime {
  return { ...REMOTE, dial: (signal) => dialWebSocket({ address, token }, signal) };
}

/** The runtime of a client on another machine than its daemon, besides the connection. */
export const REMOTE: Omit<Runtime, 'dial'> = {
  sleep,
  now: () => web.performance.now(),
  randomId,
  silence: REMOTE_SILENCE,
  isRemote: true,
  runDefaults: () => ({ cwd: '~', env: {}, base: 'daemon' }),
  resolvePath: (path) => (/^(\/|~(\/|$))/.test(path) ? path : `~/${path}`),
};

/** The longest timer of browsers and Node (24 days); a longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

async function sleep(ms: number, signal: AbortSignalLike = abortController().signal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) return;
  const timer = web.setTimeout(resolve, Math.min(ms, TIMER_MS_MAX));
  const onAbort = (): void => resolve();
  signal.addEventListener('abort', onAbort);
  await promise;
  web.clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
  if (ms > TIMER_MS_MAX && !signal.aborted) await sleep(ms - TIMER_MS_MAX, signal);
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const CHARACTERS = `${LETTERS}0123456789`;

/** Returns an id: a name, not a secret. */
function randomId(): string {
  const pick = (from: string): string => from[Math.floor(Math.random() * from.length)]!;
  return Array.from({ length: 10 }, (_, at) => pick(at === 0 ? LETTERS : CHARACTERS)).join('');
}
