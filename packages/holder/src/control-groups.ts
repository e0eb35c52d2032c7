/**
 * A control group for each session, where we may make one (as root, or in a folder that was delegated to us): then even a
 * process that has shed its parent, its session and its environment is known to belong. Without it, everything works but
 * that.
 */
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';

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

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // EBUSY: something still runs there, and that is not ours to end here
  }
}

/** Left by a holder that was killed. */
function isOfTheDead(name: string): boolean {
  const pid = /^spool-(\d+)$/.exec(name)?.[1];
  return pid !== undefined && (Number(pid) === process.pid || !existsSync(`/proc/${pid}`));
}

/** The groups of its sessions first: a group that has others below it cannot be removed. */
function removeTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(`${folder}/${entry.name}`);
  removeEmpty(folder);
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
    for (const name of readdirSync(parent)) if (isOfTheDead(name)) removeTree(`${parent}/${name}`);
    const folder = `${parent}/spool-${process.pid}`;
    // It may be there: of one that had our pid before us, with something in it that still runs.
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch {
    return null; // EACCES, EROFS: not ours to make
  }
}
