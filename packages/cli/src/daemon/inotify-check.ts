/** Checks how many watched files the kernel's limits still allow, for `spool doctor`. Keeps INST-3. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import type { DoctorFinding } from '../verbs/doctor.ts';

const CHECK = 'inotify';
const LIMITS = '/proc/sys/fs/inotify';
/** The share of used instances above which a warning is given. */
const INSTANCES_SHARE_WARN = 0.8;
/** The number of free watches below which a warning is given: editors and build tools use thousands. */
const WATCHES_WARN = 8192;

export interface InotifyUse {
  /** Counts the instances of this user's processes. */
  readonly instances: number;
  readonly instancesMax: number;
  readonly watchesMax: number;
}

export function inotifyCheck(use: InotifyUse | null = presentUse()): DoctorFinding {
  if (use === null) return { check: CHECK, level: 'ok', says: 'has no limits that can be read here' };
  const { instances, instancesMax, watchesMax } = use;
  const says = `${instances} of ${instancesMax} instances in use, at most ${watchesMax} watches`;
  const scarce = [
    ...(instances > instancesMax * INSTANCES_SHARE_WARN ? ['fs.inotify.max_user_instances'] : []),
    ...(watchesMax < WATCHES_WARN ? ['fs.inotify.max_user_watches'] : []),
  ];
  if (scarce.length === 0) return { check: CHECK, level: 'ok', says };
  return {
    check: CHECK,
    level: 'warn',
    says: `${says}; without a watch, changes of files are noticed late`,
    todo: `raise ${scarce.join(' and ')} (sysctl)`,
  };
}

function presentUse(): InotifyUse | null {
  try {
    const [instancesMax, watchesMax] = ['max_user_instances', 'max_user_watches'].map((name) =>
      Number(readFileSync(`${LIMITS}/${name}`, 'utf8')),
    ) as [number, number];
    const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return { instances: processes.reduce((sum, pid) => sum + instancesOf(pid), 0), instancesMax, watchesMax };
  } catch {
    return null; // no /proc, or a kernel without inotify
  }
}

/** Returns 0 for a process of another user (the limits are per user), and for one that has just ended. */
function instancesOf(pid: string): number {
  try {
    if (statSync(`/proc/${pid}`).uid !== process.getuid?.()) return 0;
    const opened = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
    return opened.filter((target) => target === 'anon_inode:inotify').length;
  } catch {
    return 0;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // it was closed a moment ago
  }
}
