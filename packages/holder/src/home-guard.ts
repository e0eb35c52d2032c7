/**
 * Keeps the daemon reachable when its files are moved or deleted under it: a cleaner of /tmp removes sockets, a logout removes
 * the runtime folder, a user moves or deletes the state folder. The sessions continue to run, so the daemon repairs the files
 * through which clients reach it. Keeps LIFE-12 and LIFE-40; decision 029 has the cases.
 *
 * The lock is decisive: its open file shows where the state folder is now, and a folder belongs to this daemon only as long as its
 * lock does. Files that another daemon has locked are left alone.
 */
import { closeSync, fstatSync, openSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { native } from '@spool/native';
import { type DaemonRecord, type Home, programFolder, socketIn } from '@spool/protocol';
import { isUsable, listenIn, nameOwner, writeAddress } from './listening.ts';
import { makeSafeFolder } from './safe-folder.ts';

/** The time for which damage must be unchanged before it is repaired, because `rm -rf` takes a moment. */
export const SETTLE_MS = 50;

export interface RepairedHome {
  readonly daemon: DaemonRecord;
  /** The fds in the order that DaemonRecord describes. */
  readonly fds: readonly number[];
  /** Whether the sessions have a new folder: programs that have it open must open it again. */
  readonly isNewStart: boolean;
}

interface RunFolder {
  readonly run: string;
  fd: number;
  lockFd: number;
  /** The inode of the socket's file, which an fd does not reveal. */
  inode: number | undefined;
}

export class HomeGuard {
  readonly #say: (sentence: string) => void;
  #daemon: DaemonRecord;
  #lock: number;
  readonly #rest: readonly number[];
  #places: RunFolder[];
  #sessionsInode: number | undefined;
  #damage = '';
  #said = '';

  /** Returns null for the daemon of an older version, whose fds cannot be distinguished. */
  static of(daemon: DaemonRecord, fds: readonly number[], say: (sentence: string) => void): HomeGuard | null {
    const count = daemon.sockets?.length ?? 0;
    return count > 0 && fds.length >= 1 + 2 * count ? new HomeGuard(daemon, fds, say) : null;
  }

  private constructor(daemon: DaemonRecord, fds: readonly number[], say: (sentence: string) => void) {
    const sockets = daemon.sockets!;
    this.#daemon = daemon;
    this.#say = say;
    this.#lock = fds[1]!;
    const socketFds = [fds[0]!, ...fds.slice(2, 1 + sockets.length)];
    this.#places = sockets.map((socket, at) => ({
      run: dirname(socket),
      fd: socketFds[at]!,
      lockFd: fds[1 + sockets.length + at]!,
      inode: inodeOf(socket),
    }));
    this.#rest = fds.slice(1 + 2 * sockets.length);
    this.#sessionsInode = inodeOf(daemon.home.sessions);
  }

  /** The folders in which a change may be damage. */
  get folders(): readonly string[] {
    const { state } = this.#daemon.home;
    return [...new Set([state, ...this.#places.map(({ run }) => run)])];
  }

  /** Repairs damage. `again`: there is damage, and the caller must check again after SETTLE_MS. */
  check(): RepairedHome | 'again' | null {
    const damage = this.#findDamage();
    // An `rm -rf` may have deleted the missing files, and be deleting the rest.
    const look = damage === '' ? '' : `${damage} ${entriesLeft(this.#daemon.home)}`;
    const isSettled = look === this.#damage;
    this.#damage = look;
    if (damage === '') return null;
    if (!isSettled) return 'again';
    this.#damage = '';
    try {
      return this.#repair(damage);
    } catch (error) {
      this.#sayOnce(`${damage} cannot be repaired: ${(error as Error).message}`);
      return null;
    }
  }

  #findDamage(): string {
    const { lock, sessions, address } = this.#daemon.home;
    const found: string[] = [];
    if (!leadsTo(lock, this.#lock)) found.push(lock);
    if (this.#sessionsInode === undefined || inodeOf(sessions) !== this.#sessionsInode) found.push(sessions);
    if (inodeOf(address) === undefined) found.push(address);
    for (const { run, inode, lockFd } of this.#places) {
      const isThere = inode !== undefined && inodeOf(socketIn(run)) === inode && leadsTo(lockOf(run), lockFd);
      if (!isThere && isUsable(run)) found.push(socketIn(run));
    }
    return found.join(', ');
  }

  #repair(damage: string): RepairedHome | null {
    const { state: before, sessions } = this.#daemon.home;
    if (!this.#repairState()) return null;
    const { home } = this.#daemon;
    if (home.state === before) makeSafeFolder(sessions);
    const inode = inodeOf(home.sessions);
    const isNewStart = home.state !== before || inode !== this.#sessionsInode;
    this.#sessionsInode = inode;
    for (const place of this.#places) this.#repairPlace(place);
    const sockets = this.#places.map(({ run }) => socketIn(run));
    this.#daemon = { ...this.#daemon, home: { ...home, run: dirname(sockets[0]!), socket: sockets[0]! }, sockets };
    writeAddress(this.#daemon.home, sockets);
    this.#sayOnce(
      home.state === before
        ? `was moved or deleted, and is there again: ${damage}`
        : `the state folder was moved from ${before} to ${home.state}`,
    );
    this.#said = '';
    const [first, ...others] = this.#places;
    const locks = this.#places.map(({ lockFd }) => lockFd);
    const fds = [first!.fd, this.#lock, ...others.map(({ fd }) => fd), ...locks, ...this.#rest];
    return { daemon: this.#daemon, fds, isNewStart };
  }

  /** Returns false if the folder now belongs to another daemon. */
  #repairState(): boolean {
    const { home } = this.#daemon;
    if (leadsTo(home.lock, this.#lock)) return true;
    const place = pathOf(this.#lock);
    if (place !== null && place.endsWith('/daemon.lock') && leadsTo(place, this.#lock)) {
      this.#follow(dirname(place));
      return true;
    }
    makeSafeFolder(home.state);
    const lock = openLock(home.lock, 'a');
    if (lock === null) {
      this.#sayOnce(`${home.state} was replaced, and another daemon uses it; the sessions of this one continue`);
      return false;
    }
    closeSync(this.#lock);
    this.#lock = lock;
    return true;
  }

  /** Adopts the new name of the state folder, for everything in it. */
  #follow(state: string): void {
    const { home } = this.#daemon;
    this.#daemon = { ...this.#daemon, home: movedHome(home, state) };
    this.#places = this.#places.map((place) => ({ ...place, run: movedPath(place.run, home.state, state) }));
    for (const { lockFd } of this.#places) nameOwner(lockFd, state);
  }

  #repairPlace(place: RunFolder): void {
    const { run } = place;
    if (!isUsable(run)) return; // logged out: the folder is created again at the next login
    const isThere = place.inode !== undefined && inodeOf(socketIn(run)) === place.inode;
    if (isThere && leadsTo(lockOf(run), place.lockFd)) return;
    makeSafeFolder(run);
    if (!leadsTo(lockOf(run), place.lockFd)) {
      const lockFd = openLock(lockOf(run), 'a+');
      if (lockFd === null) return this.#sayOnce(`${run} is used by another daemon`);
      closeSync(place.lockFd);
      place.lockFd = lockFd;
    }
    const { socketFd } = listenIn(run, place.lockFd, this.#daemon.home.state);
    native.close(place.fd);
    place.fd = socketFd;
    place.inode = inodeOf(socketIn(run));
  }

  /** Reports a sentence once, because the check runs with every ping. */
  #sayOnce(sentence: string): void {
    if (sentence !== this.#said) this.#say(sentence);
    this.#said = sentence;
  }
}

const lockOf = (run: string): string => `${run}/daemon.lock`;

function inodeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined; // ENOTDIR, EACCES: treated as missing
  }
}

/** Counts the entries of the state folder, except those of sessions, which may be many. */
function entriesLeft({ state, sessions }: Home): number {
  const count = (folder: string, recursive: boolean): number => {
    try {
      return readdirSync(folder, { recursive }).length;
    } catch {
      return 0; // it is missing
    }
  };
  return count(state, false) + count(sessions, false) + count(programFolder(state), true);
}

/** Returns whether the path leads to the file that is open as `fd`. */
function leadsTo(path: string, fd: number): boolean {
  try {
    const named = statSync(path, { throwIfNoEntry: false });
    const open = fstatSync(fd);
    return named !== undefined && named.ino === open.ino && named.dev === open.dev;
  } catch {
    return false;
  }
}

/** Returns the present path of the open file. */
function pathOf(fd: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null; // no /proc
  }
}

/** Returns null if another daemon holds the lock. */
function openLock(path: string, flags: 'a' | 'a+'): number | null {
  const fd = openSync(path, flags, 0o600);
  if (native.tryLock(fd)) return fd;
  closeSync(fd);
  return null;
}

function movedPath(path: string, from: string, to: string): string {
  return path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path;
}

function movedHome(home: Home, state: string): Home {
  const moved = (path: string): string => movedPath(path, home.state, state);
  return {
    state,
    run: moved(home.run),
    runs: home.runs.map(moved),
    config: moved(home.config),
    sessions: moved(home.sessions),
    socket: moved(home.socket),
    lock: moved(home.lock),
    address: moved(home.address),
    daemonLog: moved(home.daemonLog),
  };
}
