/** Finds the daemon: reads its address in the state folder and connects; if no daemon listens, starts one. */
import { hostname } from 'node:os';
import { type Environment, type Home, SpoolError } from '@spool/protocol';
import type { AbortSignalLike, Transport } from '../index.ts';
import { StartClaim, startDaemon } from './daemon-start.ts';
import { knownSockets } from './known-sockets.ts';
import { sleep } from './sleep.ts';

export interface DialOptions {
  readonly env: Environment;
  readonly home: Home;
  readonly uid: number;
  /** Whether to start a daemon if none runs. */
  readonly start: boolean;
  readonly daemonEntry: string | undefined;
  readonly connectSocket: ConnectSocket | undefined;
}

/** Opens a connection to a unix socket. Rejects with the system's own error (ENOENT, ECONNREFUSED, …). */
export type ConnectSocket = (path: string, signal?: AbortSignalLike) => Promise<Transport>;

/** The time to wait for a daemon that another client is starting, before starting one anyway. */
const OTHERS_START_MS = 1500;

/** The time within which the socket of an announced daemon must answer. */
const ANSWER_MS = 10_000;

/** The silence after which a daemon that holds the lock may be exiting: then another start may succeed. */
const BUSY_MS = 1000;

const POLL_MS = 15;

/** The errors of `connect` when no daemon listens. EAGAIN is a full backlog: a daemon listens, and is busy. */
const NOBODY: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED']);
const MAY_PASS: ReadonlySet<string | undefined> = new Set([...NOBODY, 'EAGAIN', 'ECONNRESET']);

export async function dial(options: DialOptions, signal?: AbortSignalLike): Promise<Transport> {
  let found = await tryConnect(options, signal);
  // A daemon that is running but busy answers soon, or is about to exit.
  if (found instanceof Error && !isNobody(found))
    found = await poll(options, { ms: ANSWER_MS, isFinal: isNobody }, signal);
  if (!(found instanceof Error)) return found;
  if (!isNobody(found) || !options.start) throw unreachable(options, found);
  const claim = new StartClaim(options.home, options.uid);
  try {
    const started = await poll(options, { ms: OTHERS_START_MS, isWorthIt: () => claim.isTaken }, signal);
    if (!(started instanceof Error)) return started;
    return await startAndConnect(options, signal);
  } finally {
    claim.release();
  }
}

const isNobody = ({ code }: NodeJS.ErrnoException): boolean => NOBODY.has(code);

async function startAndConnect(options: DialOptions, signal: AbortSignalLike | undefined): Promise<Transport> {
  const until = performance.now() + ANSWER_MS;
  for (;;) {
    const isOurs = (await startDaemon(options)) === 'ready';
    const left = until - performance.now();
    const found = await poll(options, { ms: isOurs ? left : Math.min(left, BUSY_MS) }, signal);
    if (!(found instanceof Error)) return found;
    if (isOurs || signal?.aborted || performance.now() >= until) throw unreachable(options, found);
  }
}

interface PollOptions {
  readonly ms: number;
  readonly isWorthIt?: () => boolean;
  /** Returns whether another attempt would fail too. */
  readonly isFinal?: (failure: NodeJS.ErrnoException) => boolean;
}

/**
 * Tries to connect repeatedly while this is useful, and once more after that: the wait may have ended because the daemon is ready.
 */
async function poll(
  options: DialOptions,
  { ms, isWorthIt = () => true, isFinal = () => false }: PollOptions,
  signal: AbortSignalLike | undefined,
): Promise<Transport | NodeJS.ErrnoException> {
  const until = performance.now() + ms;
  for (;;) {
    const isLast = !isWorthIt() || performance.now() >= until || signal?.aborted;
    const found = await tryConnect(options, signal);
    if (isLast || !(found instanceof Error) || isFinal(found)) return found;
    await sleep(POLL_MS, signal);
  }
}

/** Tries to connect once. The folders are checked each time: another user may have created them a moment ago. */
async function tryConnect(
  options: DialOptions,
  signal: AbortSignalLike | undefined,
): Promise<Transport | NodeJS.ErrnoException> {
  const { env, home, uid } = options;
  // Loaded on demand: `node:net` takes 3 ms.
  const { connectSocket } =
    options.connectSocket === undefined
      ? await import('./socket-transport.ts')
      : { connectSocket: options.connectSocket };
  let failure: NodeJS.ErrnoException = Object.assign(new Error('no socket is there'), { code: 'ENOENT' });
  for (const socket of knownSockets(env, home, uid).sockets) {
    try {
      return await connectSocket(socket, signal);
    } catch (error) {
      failure = error as NodeJS.ErrnoException;
      if (!MAY_PASS.has(failure.code)) throw unreachable(options, error);
      if (!NOBODY.has(failure.code)) break; // a daemon runs, and is busy
    }
  }
  return failure;
}

function unreachable({ env, home, uid }: DialOptions, cause: unknown): SpoolError {
  const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
  const { sockets, address } = knownSockets(env, home, uid);
  const host = address && address.host !== hostname() ? { host: address.host } : {};
  return new SpoolError('DAEMON_UNREACHABLE', { socket: sockets[0] ?? home.socket, reason, ...host }, { cause });
}
