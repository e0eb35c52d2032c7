/** Finding the daemon: a private folder, a socket in it, somebody listening; and if there is nobody, starting one. */
import { type Environment, type Home, SpoolError } from '@spool/protocol';
import type { AbortSignalLike, Transport } from '../index.ts';
import { StartClaim, startDaemon } from './daemon-start.ts';
import { hasPrivateFolder } from './private-folder.ts';
import { sleep } from './sleep.ts';
import { connectSocket } from './socket-transport.ts';

export interface DialOptions {
  readonly env: Environment;
  readonly home: Home;
  readonly uid: number;
  /** Whether to start a daemon when there is none. */
  readonly start: boolean;
  readonly daemonEntry: string | undefined;
}

/** How long to wait for a daemon that another client is starting, before starting one all the same. */
const OTHERS_START_MS = 1500;

/** How long a daemon that says it is there may take until its socket answers. */
const ANSWER_MS = 10_000;

const POLL_MS = 15;

/** What `connect` says when nobody listens. EAGAIN is a full backlog: somebody does, and is busy. */
const NOBODY: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED']);
const MAY_PASS: ReadonlySet<string | undefined> = new Set([...NOBODY, 'EAGAIN', 'ECONNRESET']);

export async function dial(options: DialOptions, signal?: AbortSignalLike): Promise<Transport> {
  const { home, start } = options;
  const first = await tryConnect(options, signal);
  if (!(first instanceof Error)) return first;
  if (NOBODY.has(first.code)) {
    if (!start) throw unreachable(home, first);
    const claim = new StartClaim(home, options.uid);
    try {
      const started = await poll(options, OTHERS_START_MS, () => claim.isTaken, signal);
      if (!(started instanceof Error)) return started;
      await startDaemon(options);
    } finally {
      claim.release();
    }
  }
  const last = await poll(options, ANSWER_MS, () => true, signal);
  if (last instanceof Error) throw unreachable(home, last);
  return last;
}

/** Tries to connect again and again while it is worth it, and once after that: what ended the waiting may be good news. */
async function poll(
  options: DialOptions,
  ms: number,
  isWorthIt: () => boolean,
  signal: AbortSignalLike | undefined,
): Promise<Transport | NodeJS.ErrnoException> {
  const until = performance.now() + ms;
  for (;;) {
    const isLast = !isWorthIt() || performance.now() >= until || signal?.aborted;
    const found = await tryConnect(options, signal);
    if (isLast || !(found instanceof Error)) return found;
    await sleep(POLL_MS, signal);
  }
}

/** The folder is looked at each time: it may be anybody's who made it a moment ago. */
async function tryConnect(
  { home, uid }: DialOptions,
  signal: AbortSignalLike | undefined,
): Promise<Transport | NodeJS.ErrnoException> {
  if (!hasPrivateFolder(home.run, uid)) return Object.assign(new Error(`${home.run} is not there`), { code: 'ENOENT' });
  try {
    return await connectSocket(home.socket, signal);
  } catch (error) {
    if (!MAY_PASS.has((error as NodeJS.ErrnoException).code)) throw unreachable(home, error);
    return error as NodeJS.ErrnoException;
  }
}

function unreachable(home: Home, cause: unknown): SpoolError {
  const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
  return new SpoolError('DAEMON_UNREACHABLE', { socket: home.socket, reason }, { cause });
}
