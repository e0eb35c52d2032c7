/**
 * A control group for each session, where we may make one (as root, or in a folder that was delegated to us): then even a
 * process that has shed its parent, its session and its environment is known to belong. Without it, everything works but
 * that.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';

export class ControlGroups {
  #folder: string | null | undefined;

  /** The group's folder, and its `cgroup.procs` open for the child to enter; null where there can be none. */
  make(id: string): { readonly folder: string; readonly procsFd: number } | null {
    this.#folder ??= makeOwn();
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

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // EBUSY: something still runs there, and that is not ours to end here
  }
}

/** A folder for our groups, below the group that we are in ourselves. */
function makeOwn(): string | null {
  try {
    const mounted = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[2] === 'cgroup2');
    const own = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
    if (mounted === undefined || own === undefined) return null;
    const parent = `${mounted.split(' ')[1]}${own === '/' ? '' : own}`;
    // Left by holders that were killed; one that lives makes its own anew when it needs it.
    for (const name of readdirSync(parent)) if (/^spool-\d+$/.test(name)) removeEmpty(`${parent}/${name}`);
    const folder = `${parent}/spool-${process.pid}`;
    mkdirSync(folder);
    return folder;
  } catch {
    return null; // EACCES, EROFS: not ours to make
  }
}
