/**
 * Opens the daemon's sockets, one in every socket folder that it can use: the runtime folder disappears at the last
 * logout while the daemon lives on, and a container sees only the state folder. The address file in the state folder
 * lists them. Keeps LIFE-0.
 *
 * Each folder has its own lock, which contains the name of the state folder: two state folders may share a runtime
 * folder. A socket is removed only under the lock of its folder, so a living daemon never loses its socket.
 */
import {
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
  ftruncateSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { native } from '@spool/native';
import { formatAddress, type Home, socketIn, SpoolError } from '@spool/protocol';
import { makeSafeFolder } from './safe-folder.ts';

/** The length of the queue in which connections wait while a keeper is being replaced. */
const BACKLOG = 511;

/** The time to wait for a name in a lock: another daemon needs far less time between locking a folder and writing its name. */
const NAME_MS = 200;

export interface ListeningSockets {
  readonly sockets: readonly string[];
  readonly socketFds: readonly number[];
  /** The locks, which must be held as long as the sockets. */
  readonly lockFds: readonly number[];
}

/**
 * Opens the sockets; must be called under the lock of the state folder. Returns null if a daemon without that lock is running: one
 * of an older version, or one whose lock was deleted.
 */
export function listenOnSockets(home: Home, say: (sentence: string) => void): ListeningSockets | null {
  const found: { socket: string; socketFd: number; lockFd: number }[] = [];
  let refused: unknown = null;
  for (const run of home.runs.filter(isUsable)) {
    try {
      makeSafeFolder(run);
      const lockFd = openSync(`${run}/daemon.lock`, 'a+', 0o600);
      if (native.tryLock(lockFd)) {
        found.push(listenIn(run, lockFd, home.state));
        continue;
      }
      native.close(lockFd);
      const owner = ownerOf(run);
      if (owner === '') {
        writeAddress(home, [socketIn(run)]);
        return null;
      }
      // That daemon has lost its state folder or the lock in it, and will soon repair that.
      if (owner === home.state) return null;
      say(`${run} is in use by the daemon of ${owner}`);
    } catch (error) {
      refused ??= error;
      say(`cannot listen in ${run}: ${(error as Error).message}`);
    }
  }
  if (found.length === 0)
    throw refused ?? new SpoolError('FOLDER_REFUSED', { folder: home.run, reason: 'it is in use' });
  const sockets = found.map(({ socket }) => socket);
  writeAddress(home, sockets);
  return { sockets, socketFds: found.map(({ socketFd }) => socketFd), lockFds: found.map(({ lockFd }) => lockFd) };
}

/** Writes the address to a temporary file and renames it: a client reads either the old address or the new one. */
export function writeAddress({ address, state }: Home, sockets: readonly string[]): void {
  const temporary = `${address}.tmp`;
  const folder = String(statSync(state, { bigint: true }).ino);
  writeFileSync(temporary, formatAddress({ sockets, host: hostname(), folder }), { mode: 0o600 });
  renameSync(temporary, address);
}

export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Removes the folder in /tmp of a socket whose own path would be too long, because no other program would. */
export function removeShortFolder(run: string): void {
  if (dirname(run) !== '/tmp') return;
  try {
    removeIfThere(`${run}/daemon.lock`);
    rmdirSync(run);
  } catch {
    // Not empty: another program uses it too
  }
}

/** Listens in a folder; must be called under its lock. */
export function listenIn(
  run: string,
  lockFd: number,
  state: string,
): { socket: string; socketFd: number; lockFd: number } {
  const socket = socketIn(run);
  nameOwner(lockFd, state);
  removeIfThere(socket);
  return { socket, socketFd: native.listenUnix(socket, BACKLOG), lockFd };
}

/** Writes the name of the owning daemon into the lock of a socket folder. */
export function nameOwner(lockFd: number, state: string): void {
  ftruncateSync(lockFd);
  writeSync(lockFd, `${state}\n`);
}

/** Returns false for a runtime folder that is missing or belongs to another user (as after `su`); the state folder remains. */
export function isUsable(run: string): boolean {
  const parent = lstatSync(dirname(run), { throwIfNoEntry: false });
  return parent !== undefined && (parent.uid === process.getuid!() || (parent.mode & 0o1000) !== 0);
}

/** Returns the state folder of the daemon that listens in `run`; '' for an older version that did not write it. */
function ownerOf(run: string): string {
  const read = (): string => readFileSync(`${run}/daemon.lock`, 'utf8').trim();
  const owner = read();
  if (owner !== '') return owner;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, NAME_MS);
  return read();
}
