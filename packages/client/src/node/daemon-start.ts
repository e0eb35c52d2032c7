/**
 * Starts the daemon. The daemon itself ensures that there is only one (it holds a lock). This file only prevents that fifty
 * clients start fifty Node processes if no daemon runs: the first leaves a claim file, and the others wait a little.
 */
import { closeSync, constants, existsSync, openSync, statSync, unlinkSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Environment, fromWireError, type Home, SpoolError, type WireError } from '@spool/protocol';
import { makePrivateFolder } from './private-folder.ts';

/** The limit for a start, which takes about 100 ms. */
const READY_MS_MAX = 10_000;

/** The maximum age of a claim; an older one was left by a client that died. */
const CLAIM_MS_MAX = 3000;

/** The variables that the daemon gets. The other variables are private to the caller, and must not remain in a daemon for weeks. */
const DAEMON_VARIABLES: ReadonlySet<string> = new Set(
  'HOME USER LOGNAME PATH LANG TMPDIR XDG_STATE_HOME XDG_RUNTIME_DIR XDG_CONFIG_HOME'.split(' '),
);

/** The variables that describe the session in which this process may run, not the daemon. */
const SESSION_VARIABLES: ReadonlySet<string> = new Set(['SPOOL_SESSION', 'SPOOL_SOCKET']);

/** The claim to start the daemon. It is advisory only: without it there is still only one daemon. */
export class StartClaim {
  readonly #path: string;
  readonly #isOurs: boolean;

  constructor(home: Home, uid: number) {
    this.#path = `${home.state}/starting`;
    this.#isOurs = !makePrivateFolder(home.state, uid) || this.#tryClaim();
  }

  /** Whether another client is starting it, and not for too long. */
  get isTaken(): boolean {
    return !this.#isOurs && this.#ageMs() < CLAIM_MS_MAX;
  }

  release(): void {
    if (this.#isOurs) removeFile(this.#path);
  }

  #tryClaim(): boolean {
    if (this.#ageMs() >= CLAIM_MS_MAX) removeFile(this.#path);
    try {
      closeSync(openSync(this.#path, 'wx', 0o600));
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'EEXIST';
    }
  }

  #ageMs(): number {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    return found === undefined ? Infinity : Date.now() - found.mtimeMs;
  }
}

export interface StartOptions {
  readonly env: Environment;
  readonly home: Home;
  readonly uid: number;
  readonly daemonEntry: string | undefined;
}

/** Resolves when a daemon runs: `ready` means that it was started here, `busy` that it was running already. */
export async function startDaemon({ env, home, uid, daemonEntry }: StartOptions): Promise<'ready' | 'busy'> {
  const entry = daemonEntry ?? findDaemonEntry();
  // Imported here: a client that finds its daemon running does not need it.
  const { spawn } = await import('node:child_process');
  const stderr = openDaemonLog(home, uid);
  const child = spawn(process.execPath, [entry, '--ready-fd', '3'], {
    detached: true,
    cwd: '/',
    stdio: ['ignore', 'ignore', stderr ?? 'ignore', 'pipe'],
    // Marks the daemon's own processes: even if they are started inside a session, they do not belong to it.
    env: { ...daemonEnvironment(env), SPOOL_DAEMON: '1' },
  });
  if (stderr !== undefined) closeSync(stderr);
  const failed = (details: Record<string, string | number>, cause?: unknown): SpoolError =>
    new SpoolError('DAEMON_START_FAILED', { ...details, log: home.daemonLog }, { cause });
  const ready = child.stdio[3] as Readable;
  const { promise, resolve, reject } = Promise.withResolvers<'ready' | 'busy'>();
  const timer = setTimeout(
    () => reject(failed({ reason: `it did not report within ${READY_MS_MAX} ms` })),
    READY_MS_MAX,
  );
  let said = '';
  ready.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    const end = said.indexOf('\n');
    if (end === -1) return;
    const line = said.slice(0, end);
    if (line === 'ready' || line === 'busy') resolve(line);
    else reject(parseFailure(line) ?? failed({ reason: `it said: ${line.slice(0, 200)}` }));
  });
  // 'close' instead of 'exit': at 'exit' its output may still be in the pipe.
  child.on('close', (code, signal) => reject(failed(signal === null ? { exitCode: code ?? -1 } : { signal })));
  child.on('error', (cause) => reject(failed({ reason: cause.message }, cause)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    ready.destroy();
    child.unref();
  }
}

/**
 * Returns the daemon's program: beside this file in the bundle (which may have put it into `chunks/`), or the bundle in the
 * repository.
 */
export function findDaemonEntry(): string {
  const places = ['./holder.mjs', '../holder.mjs', '../../../../dist/holder.mjs'];
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = paths.find((path) => existsSync(path));
  if (found === undefined)
    throw new SpoolError('DAEMON_START_FAILED', { reason: 'no daemon program found', looked: paths.join(', ') });
  return found;
}

export function daemonEnvironment(env: Environment): Record<string, string> {
  const isForDaemon = (name: string): boolean =>
    DAEMON_VARIABLES.has(name) || (name.startsWith('SPOOL_') && !SESSION_VARIABLES.has(name));
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && isForDaemon(entry[0])),
  );
}

/** Opens the log for the stderr of a daemon that fails before it can open it itself (a broken installation). */
function openDaemonLog(home: Home, uid: number): number | undefined {
  if (!makePrivateFolder(home.state, uid)) return undefined;
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  try {
    return openSync(home.daemonLog, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  } catch {
    return undefined; // the daemon will have the same problem, and report it better
  }
}

function parseFailure(line: string): SpoolError | undefined {
  try {
    const error = JSON.parse(line) as Partial<WireError>;
    return typeof error.code === 'string'
      ? fromWireError({ code: error.code, details: error.details ?? {} })
      : undefined;
  } catch {
    return undefined; // not JSON: shown unchanged
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
