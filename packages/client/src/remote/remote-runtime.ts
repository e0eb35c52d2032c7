/** The parts of a runtime that every client of another machine has. */
import { abortController, type AbortSignalLike, type Runtime } from '../link/runtime.ts';
import { web } from './web-globals.ts';

/** The default: a network may be unreachable for longer than a daemon, for example in a tunnel, or when a laptop wakes up. */
export const REMOTE_RECONNECT_MS = 120_000;

/**
 * The limits of silence: a dead network reports nothing, so a silent peer is pinged, and given up if it stays silent. Proxies
 * commonly cut connections that are silent for a minute; the ping also prevents that.
 */
export const REMOTE_SILENCE = { askAfterMs: 10_000, cutAfterMs: 5000 } as const;

/** The runtime of a client that is not on the daemon's machine, except for the connection. */
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
