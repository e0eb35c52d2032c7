/**
 * The way to other machines that this one knows by name: through the socket of the local gateway, which relays frames to the node
 * and back. Therefore the guarantees of the SDK hold between this client and the daemon on the node. Keeps NODE-3.
 */
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import {
  homeFrom,
  fromWireError,
  nodesFile,
  type NodeAnswer,
  type NodeNews,
  type NodeOp,
  type NodeRequests,
  nodeSocketBeside,
  SpoolError,
} from '@spool/protocol';
import { Client } from '../client.ts';
import type { AbortSignalLike, Runtime, Transport } from '../link/runtime.ts';
import { REMOTE, REMOTE_RECONNECT_MS } from '../remote/remote-runtime.ts';
import { RequestClient } from '../request-client.ts';
import { type ConnectOptions, openHere } from './connect.ts';
import { knownSockets } from './known-sockets.ts';
import { sleep } from './sleep.ts';
import { connectSocket } from './socket-transport.ts';
import { newsOn } from '../nodes/news.ts';

/** The maximum size of an answer, which the sessions of a thousand nodes fit. */
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;

const NEWLINE = 10;

/** The unsent bytes above which the other machine is not read any further. */
const COPIED_BYTES_MAX = 256 * 1024;

/** The pause between two attempts to reach a gateway that is being replaced. */
const AGAIN_MS = 50;

export interface NodeRoadOptions extends Pick<ConnectOptions, 'env' | 'daemonEntry' | 'who' | 'reconnectMs'> {
  /** The time to wait for a gateway that is being replaced, instead of starting one. */
  readonly waitMs?: number | undefined;
}

/** Asks the gateway of this machine about nodes. Starts the gateway if necessary, unless `waitMs` is given. */
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

/** Returns the runtime of a client of a node. The gateway watches the network, so the client does not have to. */
export function nodeRuntime(node: string, options: NodeRoadOptions = {}): Runtime {
  return { ...REMOTE, silence: undefined, sleep, dial: (signal) => dialNode(node, options, signal) };
}

/**
 * Serves another machine over these streams: the gateway does the work, and this process only copies bytes. Resolves when either
 * side has ended. `onOpen` is called with the answer of the gateway, before the first byte.
 */
export async function serveNode(
  ask: NodeRequests['serve']['ask'],
  streams: { readonly from: Readable; readonly to: Writable },
  onOpen: (answer: NodeRequests['serve']['answer']) => void,
  options: NodeRoadOptions = {},
): Promise<void> {
  const transport = await reachGateway(options);
  const { from, to } = streams;
  const closed = Promise.withResolvers<void>();
  // The first bytes may come with the answer, and must follow the line that the caller writes about it.
  const early: Buffer[] = [];
  onOpen(await exchange(transport, 'serve', ask, (chunk) => early.push(Buffer.from(chunk))));
  for (const chunk of early) to.write(chunk);
  transport.onClose = () => closed.resolve();
  transport.onData = (chunk) => to.write(Buffer.from(chunk)); // bounded by the windows of HTTP/2
  from.on('data', (chunk: Buffer) => {
    transport.send(chunk);
    if (transport.bufferedBytes <= COPIED_BYTES_MAX) return;
    from.pause();
    void transport.drained().then(() => from.resume());
  });
  for (const stream of [from, to]) stream.on('error', () => closed.resolve()).on('close', () => closed.resolve());
  from.on('end', () => closed.resolve());
  await closed.promise;
  transport.close();
}

export async function dialNode(node: string, options: NodeRoadOptions, signal?: AbortSignalLike): Promise<Transport> {
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

/** The time for which a gateway that is being replaced is awaited. */
const GATEWAY_MS = 2000;

/**
 * Follows the nodes of this machine. It starts no gateway: without one, a machine has no nodes, or shows that they cannot be
 * reached.
 */
export async function* followNodes(options: NodeRoadOptions, signal?: AbortSignalLike): AsyncGenerator<NodeNews, void> {
  const { env = process.env } = options;
  const hasNodes = existsSync(nodesFile(homeFrom(env, process.getuid?.() ?? 0)));
  const transport = await reachGateway({ ...options, waitMs: hasNodes ? GATEWAY_MS : 0 }, signal).catch(
    (error: unknown) => {
      if (hasNodes) throw error;
      return null;
    },
  );
  if (transport === null) return yield { listed: true };
  transport.send(Buffer.from(`${JSON.stringify({ ask: 'follow' })}\n`));
  yield* newsOn(transport, signal);
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

/** Sends a request, and reads the line that answers it. `onRest` gets the bytes that follow that line. */
async function exchange<K extends NodeOp>(
  transport: Transport,
  op: K,
  ask: NodeRequests[K]['ask'],
  onRest: (chunk: Uint8Array) => void = () => {},
): Promise<NodeRequests[K]['answer']> {
  const { promise, resolve, reject } = Promise.withResolvers<NodeAnswer<K>>();
  const parts: Buffer[] = [];
  let bytes = 0;
  transport.onClose = () => reject(new SpoolError('CONNECTION_LOST'));
  transport.onData = (chunk) => {
    parts.push(Buffer.from(chunk)); // the chunk is valid during the call only
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) reject(new SpoolError('ANSWER_TOO_LARGE'));
    else if (chunk.includes(NEWLINE)) {
      const all = Buffer.concat(parts);
      const end = all.indexOf(NEWLINE);
      transport.onData = onRest;
      resolve(JSON.parse(all.toString('utf8', 0, end)) as NodeAnswer<K>);
      if (end + 1 < all.length) onRest(all.subarray(end + 1));
    }
  };
  transport.send(Buffer.from(`${JSON.stringify({ ask: op, ...ask })}\n`));
  const answer = await promise;
  if ('error' in answer) throw fromWireError(answer.error);
  return answer.ok;
}
