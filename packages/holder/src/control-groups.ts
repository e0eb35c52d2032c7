/**
 * Creates one control group per session, where the daemon may create one (as root, or in a delegated folder). A group identifies
 * even a process that has left its parent, its session and its environment. Without control groups, all other functions still
 * work. Helps to keep RUN-5.
 *
 * A daemon's groups are in `spool-NAMESPACE-PID-START`, below the daemon's own group. The name identifies the owner for good, so
 * the next daemon removes the groups of a dead daemon and never those of a living one.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { identify, type KernelProcessIdentity, readStat } from '@spool/native/process-identity';
import { native } from '@spool/native';

export class ControlGroups {
  #folder: string | null | undefined;

  /**
   * Creates a group: returns its folder, and its `cgroup.procs` opened for the child to enter; null if no group can be created.
   */
  make(id: string): { readonly folder: string; readonly procsFd: number } | null {
    if (this.#folder === undefined) this.#folder = makeOwn();
    if (this.#folder === null) return null;
    const folder = `${this.#folder}/${id}`;
    try {
      mkdirSync(folder, { recursive: true });
      return { folder, procsFd: openSync(`${folder}/cgroup.procs`, 'w') };
    } catch {
      return null; // a limit on the number of groups, or a full table: the session starts without a group
    }
  }

  /** Closes the fd after the child has entered the group, or was not started; in the second case the group is removed. */
  close({ folder, procsFd }: { readonly folder: string; readonly procsFd: number }, isUsed: boolean): void {
    closeSync(procsFd);
    if (!isUsed) removeEmpty(folder);
  }

  /** Removes the groups when the daemon ends. */
  [Symbol.dispose](): void {
    if (this.#folder) removeEmpty(this.#folder);
  }
}

/**
 * Moves this daemon out of the group of an outer session. A daemon that was started inside a session of another daemon
 * (with its own home) must not end when that session ends.
 */
export function leaveSessionGroup(): void {
  const mount = mountPoint();
  const outside = outsideOfSessions(ownPath() ?? '');
  if (mount === null || outside === null) return;
  try {
    writeFileSync(`${mount}${outside}/cgroup.procs`, '0');
  } catch {
    // EACCES: we may not leave the group. The outer daemon recognises our processes by their environment and spares them
  }
}

/** Returns the part of the path that is outside every session's group; null if the path is in no such group. */
export function outsideOfSessions(path: string): string | null {
  const found = /\/spool-[0-9-]+\/[a-z0-9]{8,32}(?=\/|$)/.exec(path);
  return found && path.slice(0, found.index);
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // EBUSY: a process still runs there, which is not ended here
  }
}

/** Returns whether a holder that was killed left this group. Groups of other pid namespaces cannot be judged from here. */
export function isOfTheDead(name: string, us: KernelProcessIdentity): boolean {
  const found = /^spool-(\d+)-(\d+)-(\d+)$/.exec(name);
  if (!found || found[1] !== us.pidNamespace) return false;
  return readStat(Number(found[2]))?.startTicks !== found[3];
}

/** Removes the groups of the sessions first: a group with children cannot be removed. */
function removeTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(`${folder}/${entry.name}`);
  removeEmpty(folder);
}

/** Creates a folder for our groups, below the group of this process. */
function makeOwn(): string | null {
  const mount = mountPoint();
  const own = ownPath();
  const us = ownIdentity();
  if (mount === null || own === null || us === null) return null;
  const parent = `${mount}${own}`;
  try {
    for (const name of readdirSync(parent)) if (isOfTheDead(name, us)) removeTree(`${parent}/${name}`);
    const folder = `${parent}/spool-${us.pidNamespace}-${us.pid}-${us.startTicks}`;
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch {
    return null; // EACCES, EROFS: we may not create one
  }
}

function ownIdentity(): KernelProcessIdentity | null {
  const pidfd = native.pidfdOpen(process.pid);
  try {
    return identify(process.pid, pidfd);
  } finally {
    native.close(pidfd);
  }
}

function mountPoint(): string | null {
  const mounted = read('/proc/self/mounts')
    .split('\n')
    .find((line) => line.split(' ')[2] === 'cgroup2');
  return mounted?.split(' ')[1] ?? null;
}

/** Returns the group of this process, relative to the mount point: '' for the root. */
function ownPath(): string | null {
  const path = /^0::(.*)$/m.exec(read('/proc/self/cgroup'))?.[1];
  return path === undefined ? null : path.replace(/\/$/, '');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // no /proc: no groups
  }
}
