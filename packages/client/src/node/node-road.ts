/**
 * The way to other machines that this one knows by name: through the socket of the local gateway, which relays frames to the node and
 * back. So the guarantees of the SDK hold between this client and the daemon on the node. Keeps NODE-3.
 */
import {
  homeFrom,
  fromWireError,
  type NodeAnswer,
  type NodeOp,
  type NodeRequests,
  nodeSocketBeside,
  SpoolError,
} from '@spool/protocol';
import { Client } from '../client.ts';
import type { AbortSignalLike, Runtime, Transport } from '../link/runtime.ts';
import { REMOTE, REMOTE_RECONNECT_MS } from '../remote/index.ts';
import { RequestClient } from '../request-client.ts';
import { type ConnectOptions, openHere } from './connect.ts';
import { knownSockets } from './known-sockets.ts';
import { sleep } from './sleep.ts';
import { connectSocket } from './socket-transport.ts';

/** The maximum of an answer: the sessions of a thousand nodes. */
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;

/** The pause between two attempts to reach a gateway that is being replaced. */
const AGAIN_MS = 50;

export interface NodeRoadOptions extends Pick<ConnectOptions, 'env' | 'daemonEntry' | 'who' | 'reconnectMs'> {
  /** The time to wait for a gateway that is being replaced, instead of starting one. */
  readonly waitMs?: number | undefined;
}

/** Asks the gateway of this machine about nodes. Starts it if necessary, unless `waitMs` is given. */
export async function askNodes<K extends NodeOp>(
  op: K,
  ask: NodeRequests[K]['ask'],
  options: NodeRoadOptions = {},
): Promise<NodeRequests[K]['answer']> {
  const transport = await reachGateway(options);
  try {
    return await exchange(transport, op, ask);
  } finally {
    transport.close();
  }
}

/** Returns a client of a node that has answered. */
export async function connectToNode(node: string, options: NodeRoadOptions = {}): Promise<Client> {
  const { reconnectMs = REMOTE_RECONNECT_MS, who = `node ${process.pid}` } = options;
  const client = new Client(nodeRuntime(node, options), { reconnectMs, who });
  try {
    await client.open();
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

/** Returns the runtime of a client of a node. The gateway watches the network, so the client need not. */
export function nodeRuntime(node: string, options: NodeRoadOptions = {}): Runtime {
  return { ...REMOTE, silence: undefined, sleep, dial: (signal) => dialNode(node, options, signal) };
}

async function dialNode(node: string, options: NodeRoadOptions, signal?: AbortSignalLike): Promise<Transport> {
  const transport = await reachGateway(options, signal);
  const onAbort = (): void => transport.close();
  signal?.addEventListener('abort', onAbort);
  try {
    await exchange(transport, 'open', { node });
    return transport;
  } catch (error) {
    transport.close();
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

async function reachGateway(options: NodeRoadOptions, signal?: AbortSignalLike): Promise<Transport> {
  const found = await tryGateway(options, signal);
  if (found !== null) return found;
  const { env, daemonEntry, who, waitMs } = options;
  const until = performance.now() + (waitMs ?? 0);
  while (performance.now() < until) {
    await sleep(AGAIN_MS);
    const later = await tryGateway(options, signal);
    if (later !== null) return later;
  }
  if (waitMs === undefined) {
    await using daemon = await openHere(RequestClient, { env, daemonEntry, who });
    await daemon.doors.start();
    const started = await tryGateway(options, signal);
    if (started !== null) return started;
  }
  throw new SpoolError('CONNECTION_LOST', { reason: 'the gateway of this machine does not answer' });
}

/** Connects to the gateway; null if none listens. */
async function tryGateway({ env = process.env }: NodeRoadOptions, signal?: AbortSignalLike): Promise<Transport | null> {
  const uid = process.getuid?.() ?? 0;
  for (const socket of knownSockets(env, homeFrom(env, uid), uid).sockets) {
    try {
      return await connectSocket(nodeSocketBeside(socket), signal);
    } catch {
      // No gateway listens in this folder.
    }
  }
  return null;
}

/** Sends a request, and reads the line that answers it. What follows that line is left to the next owner of the transport. */
async function exchange<K extends NodeOp>(
  transport: Transport,
  op: K,
  ask: NodeRequests[K]['ask'],
): Promise<NodeRequests[K]['answer']> {
  const { promise, resolve, reject } = Promise.withResolvers<NodeAnswer<K>>();
  const parts: Buffer[] = [];
  let bytes = 0;
  transport.onClose = () => reject(new SpoolError('CONNECTION_LOST'));
  transport.onData = (chunk) => {
    parts.push(Buffer.from(chunk)); // the chunk is valid during the call only
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) reject(new SpoolError('ANSWER_TOO_LARGE'));
    else if (chunk.includes(10)) resolve(JSON.parse(Buffer.concat(parts).toString()) as NodeAnswer<K>);
  };
  transport.send(Buffer.from(`${JSON.stringify({ ask: op, ...ask })}\n`));
  const answer = await promise;
  if ('error' in answer) throw fromWireError(answer.error);
  return answer.ok;
}
