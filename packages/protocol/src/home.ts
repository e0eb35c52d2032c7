/**
 * The paths of a daemon's files. All programs that must find the same files use this one function: the client that looks for the
 * socket, the holder that creates the folders, the keeper that fills them.
 */
import { SpoolError } from './errors.ts';

export interface Home {
  /**
   * The folder for sessions, the daemon's own log, its lock and its address. It survives a reboot. One state folder has one
   * daemon.
   */
  readonly state: string;
  /** The first folder for the socket: `runs[0]`. */
  readonly run: string;
  /** The folders for the socket, best first. The daemon listens in each usable one, so that clients survive the loss of one. */
  readonly runs: readonly string[];
  readonly config: string;
  readonly sessions: string;
  readonly socket: string;
  /** The lock, which belongs to the state folder, so that no environment can start a second daemon over the same sessions. */
  readonly lock: string;
  /** The file with the sockets of the running daemon; see `address.ts`. */
  readonly address: string;
  readonly daemonLog: string;
}

/** The maximum length: `sun_path` has 108 bytes on Linux and 104 elsewhere, the final NUL included. */
export const SOCKET_PATH_BYTES_MAX = 103;

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the folders for this environment. `SPOOL_HOME` puts all under one folder: for tests, or several daemons on one machine.
 */
export function homeFrom(env: Environment, uid: number): Home {
  const root = env.SPOOL_HOME;
  if (root !== undefined && root !== '') {
    const base = absolute('SPOOL_HOME', root);
    return layout(base, [`${base}/run`], `${base}/config`, uid);
  }
  // Inside a session, `spool` refers to the daemon of that session.
  const socket = env.SPOOL_SOCKET;
  if (!env.HOME)
    throw new SpoolError('FOLDER_REFUSED', { reason: 'neither SPOOL_HOME nor HOME is set; set one of them' });
  const home = absolute('HOME', env.HOME);
  const state = `${base('XDG_STATE_HOME') ?? `${home}/.local/state`}/spool`;
  const runtime = base('XDG_RUNTIME_DIR');
  const runs = [...(runtime === undefined ? [] : [`${runtime}/spool`]), `${state}/run`];
  const found = layout(state, runs, `${base('XDG_CONFIG_HOME') ?? `${home}/.config`}/spool`, uid);
  return socket?.startsWith('/') ? { ...found, socket, run: socket.slice(0, socket.lastIndexOf('/')) } : found;

  /** Returns the path in a variable if it is absolute: the XDG specification requires that relative ones are ignored. */
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

/** Returns the folder for tokens, certificates and the audit log. */
export function doorsFolder({ state }: Home): string {
  return `${state}/doors`;
}

/** Returns the file with `GatewayFaults`, which exists once there was a fault. */
export function gatewayFaultsFile(home: Home): string {
  return `${doorsFolder(home)}/gateway-faults.json`;
}

/** Returns the file with the nodes of this machine, which exists while there are some. The gateway writes it. */
export function nodesFile(home: Home): string {
  return `${doorsFolder(home)}/nodes.json`;
}

/** Returns the file with the machines that this one has joined, which exists while there are some. The gateway writes it. */
export function joinsFile(home: Home): string {
  return `${doorsFolder(home)}/joins.json`;
}

/** Returns the file with the fleets of this machine, which exists while there are some. The gateway writes it. */
export function fleetsFile(home: Home): string {
  return `${doorsFolder(home)}/fleets.json`;
}

/** Returns the socket beside the daemon's on which the gateway connects local clients with nodes. */
export function nodeSocketBeside(socket: string): string {
  return `${socket.slice(0, socket.lastIndexOf('/'))}/nodes.sock`;
}

/** Returns the folder with copies of the daemon's program, each in a folder (decision 161). */
export function programFolder(state: string): string {
  return `${state}/program`;
}

/** Returns the file with the reason why no keeper can be started, in one line; it exists only in that case. */
export function troubleFile(state: string): string {
  return `${state}/daemon.trouble`;
}

/**
 * Returns the file with the `ProgramSource` that the holder must use while no keeper can be started and no other process can be
 * asked.
 */
export function wantedProgramFile(state: string): string {
  return `${state}/program.wanted`;
}

export function socketIn(run: string): string {
  return `${run}/spool.sock`;
}

/** Returns a short, private folder for the socket if a deep folder makes its path too long. */
function shortRun(run: string, uid: number): string {
  return utf8Bytes(socketIn(run)) > SOCKET_PATH_BYTES_MAX ? `/tmp/spool-${uid}-${hash(run)}` : run;
}

function absolute(name: string, path: string): string {
  if (!path.startsWith('/'))
    throw new SpoolError('FOLDER_REFUSED', { folder: path, reason: `${name} must be absolute` });
  return path.replace(/\/+$/, '');
}

/** Returns the length of a text in bytes. */
function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0)!;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** Returns 53 bits of FNV-1a: the name must be the same in every process, not secret. */
function hash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x1b873593;
  for (let at = 0; at < text.length; at++) {
    low = Math.imul(low ^ text.charCodeAt(at), 0x01000193);
    high = Math.imul(high ^ text.charCodeAt(at), 0x85ebca6b);
  }
  return ((low >>> 0) * 0x200000 + ((high >>> 0) & 0x1fffff)).toString(36);
}
