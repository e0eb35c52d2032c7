/**
 * A control group for each session, where we may make one (as root, or in a folder that was delegated to us): then even a
 * process that has shed its parent, its session and its environment is known to belong. Without it, everything works but
 * that.
 *
 * A daemon's groups lie in `spool-NAMESPACE-PID-START`, below the group that it is in itself: the name says whose they are
 * for ever, so that the next daemon removes what a dead one has left, and nothing of one that lives.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { identify, type ProcessIdentity, readStat } from '@spool/native/process-identity';
import { native } from '@spool/native';

export class ControlGroups {
  #folder: string | null | undefined;

  /** The group's folder, and its `cgroup.procs` open for the child to enter; null where there can be none. */
  make(id: string): { readonly folder: string; readonly procsFd: number } | null {
    if (this.#folder === undefined) this.#folder = makeOwn();
    if (this.#folder === null) return null;
    const folder = `${this.#folder}/${id}`;
    try {
      mkdirSync(folder, { recursive: true });
      return { folder, procsFd: openSync(`${folder}/cgroup.procs`, 'w') };
    } catch {
      return null; // a limit on their number, a full table: the session starts without
    }
  }

  /** The child is in, or never came to be; then the group is of no use. */
  close({ folder, procsFd }: { readonly folder: string; readonly procsFd: number }, isUsed: boolean): void {
    closeSync(procsFd);
    if (!isUsed) removeEmpty(folder);
  }

  /** The daemon ends. */
  [Symbol.dispose](): void {
    if (this.#folder) removeEmpty(this.#folder);
  }
}

/**
 * A daemon that is started inside a session of another one (with a home of its own) is a daemon of its own: it leaves that
 * session's group, so that the end of the session is not its end.
 */
export function leaveSessionGroup(): void {
  const mount = mountPoint();
  const outside = outsideOfSessions(ownPath() ?? '');
  if (mount === null || outside === null) return;
  try {
    writeFileSync(`${mount}${outside}/cgroup.procs`, '0');
  } catch {
    // EACCES: not ours to leave. The outer daemon knows our processes by their environment, and spares them
  }
}

/** Where one is outside of any session's group; null for whoever is in none. */
export function outsideOfSessions(path: string): string | null {
  const found = /\/spool-[0-9-]+\/[a-z0-9]{8,32}(?=\/|$)/.exec(path);
  return found && path.slice(0, found.index);
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // EBUSY: something still runs there, and that is not ours to end here
  }
}

/** Left by a holder that was killed. Those of other pid namespaces are not ours to judge. */
export function isOfTheDead(name: string, us: ProcessIdentity): boolean {
  const found = /^spool-(\d+)-(\d+)-(\d+)$/.exec(name);
  if (!found || found[1] !== us.pidNamespace) return false;
  return readStat(Number(found[2]))?.startTicks !== found[3];
}

/** The groups of its sessions first: a group that has others below it cannot be removed. */
function removeTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(`${folder}/${entry.name}`);
  removeEmpty(folder);
}

/** A folder for our groups, below the group that we are in ourselves. */
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
    return null; // EACCES, EROFS: not ours to make
  }
}

function ownIdentity(): ProcessIdentity | null {
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

/** The group that we are in, from the mount point on: '' for the root. */
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
