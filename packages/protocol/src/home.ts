/**
 * Where a daemon keeps its files. One function for every program that must find the same files: the client that looks
 * for the socket, the holder that creates the folders, the keeper that fills them.
 */
import { SpoolError } from './errors.ts';

export interface Home {
  /** Sessions, the daemon's own log, its lock and its address. Survives a reboot. One state folder has one daemon. */
  readonly state: string;
  /** Where the socket is created first: `runs[0]`. */
  readonly run: string;
  /**
   * Folders for the socket, best first. The daemon listens in each that it can use, so that clients survive the loss of
   * one.
   */
  readonly runs: readonly string[];
  readonly config: string;
  readonly sessions: string;
  readonly socket: string;
  /** Belongs to the state folder, so that no environment can start a second daemon over the same sessions. */
  readonly lock: string;
  /** Contains where the running daemon listens; see `address.ts`. */
  readonly address: string;
  readonly daemonLog: string;
}

/** `sun_path` has 108 bytes on Linux and 104 elsewhere, the final NUL included. */
export const SOCKET_PATH_BYTES_MAX = 103;

export type Environment = Readonly<Record<string, string | undefined>>;

/** The folders for this environment. `SPOOL_HOME` puts all under one folder: for tests, or several daemons on one machine. */
export function homeFrom(env: Environment, uid: number): Home {
  const root = env.SPOOL_HOME;
  if (root !== undefined && root !== '') {
    const base = absolute('SPOOL_HOME', root);
    return layout(base, [`${base}/run`], `${base}/config`, uid);
  }
  // Inside a session, `spool` means the daemon of that session.
  const socket = env.SPOOL_SOCKET;
  if (!env.HOME)
    throw new SpoolError('FOLDER_REFUSED', { reason: 'neither SPOOL_HOME nor HOME is set; set one of them' });
  const home = absolute('HOME', env.HOME);
  const state = `${base('XDG_STATE_HOME') ?? `${home}/.local/state`}/spool`;
  const runtime = base('XDG_RUNTIME_DIR');
  const runs = [...(runtime === undefined ? [] : [`${runtime}/spool`]), `${state}/run`];
  const found = layout(state, runs, `${base('XDG_CONFIG_HOME') ?? `${home}/.config`}/spool`, uid);
  return socket?.startsWith('/') ? { ...found, socket, run: socket.slice(0, socket.lastIndexOf('/')) } : found;

  /** The XDG specification says to ignore relative paths in these. */
  function base(name: string): string | undefined {
    const value = env[name];
    return value?.startsWith('/') ? value.replace(/\/+$/, '') : undefined;
  }
}

function layout(state: string, wanted: readonly string[], config: string, uid: number): Home {
  const runs = wanted.map((run) => shortRun(run, uid));
  return {
    state,
    run: runs[0]!,
    runs,
    config,
    sessions: `${state}/sessions`,
    socket: socketIn(runs[0]!),
    lock: `${state}/daemon.lock`,
    address: `${state}/daemon.address`,
    daemonLog: `${state}/daemon.log`,
  };
}

/** Tokens, certificates and the audit log. */
export function doorsFolder({ state }: Home): string {
  return `${state}/doors`;
}

export function socketIn(run: string): string {
  return `${run}/spool.sock`;
}

/** A deep folder can make the path too long for a socket: then the socket alone moves to a short, private folder. */
function shortRun(run: string, uid: number): string {
  return utf8Bytes(socketIn(run)) > SOCKET_PATH_BYTES_MAX ? `/tmp/spool-${uid}-${hash(run)}` : run;
}

function absolute(name: string, path: string): string {
  if (!path.startsWith('/'))
    throw new SpoolError('FOLDER_REFUSED', { folder: path, reason: `${name} must be absolute` });
  return path.replace(/\/+$/, '');
}

/** The length of a text for the kernel. */
function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0)!;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** FNV-1a, 53 bits of it: the name must be the same in every process, not secret. */
function hash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x1b873593;
  for (let at = 0; at < text.length; at++) {
    low = Math.imul(low ^ text.charCodeAt(at), 0x01000193);
    high = Math.imul(high ^ text.charCodeAt(at), 0x85ebca6b);
  }
  return ((low >>> 0) * 0x200000 + ((high >>> 0) & 0x1fffff)).toString(36);
}
