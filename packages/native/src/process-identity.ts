/**
 * Identifies a process. A pid alone is ambiguous: it is reused, and it means another process after a reboot or in another
 * container. Together with its start time, the boot and the pid namespace, it identifies one process for good.
 */
import { closeSync, openSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { constants } from 'node:os';
import { native } from './index.ts';

export interface KernelProcessIdentity {
  readonly pid: number;
  /** The clock ticks between boot and start. */
  readonly startTicks: string;
  readonly bootId: string;
  /** The number of the pid namespace. A container gets a new one each time it starts. */
  readonly pidNamespace: string;
}

/** The fields of /proc/PID/stat that we need. */
export interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  readonly isZombie: boolean;
  /** Whether a signal has stopped it. */
  readonly isStopped: boolean;
  readonly parent: number;
  /** The pid that created the terminal session; 0 for processes that entered the namespace from outside. */
  readonly terminalSession: number;
  readonly hasTerminal: boolean;
  /** Whether its process group is the one that reads from the terminal. */
  readonly isForeground: boolean;
  readonly startTicks: string;
}

/** Returns undefined if the process is gone. Throws if that cannot be known, for example without a free fd. */
export function readStat(pid: number): ProcessStat | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name, in brackets, may contain anything; the fields begin after the last closing bracket.
  const nameEnd = stat.lastIndexOf(')');
  const fields = stat.slice(nameEnd + 2).split(' ');
  return {
    pid,
    name: stat.slice(stat.indexOf('(') + 1, nameEnd),
    isZombie: fields[0] === 'Z' || fields[0] === 'X',
    isStopped: fields[0] === 'T',
    parent: Number(fields[1]),
    terminalSession: Number(fields[3]),
    hasTerminal: fields[4] !== '0',
    isForeground: fields[2] === fields[5],
    startTicks: fields[19]!,
  };
}

/** A buffer for files of /proc; most fit, and a larger one is read in several steps. */
const buffer = Buffer.allocUnsafe(64 * 1024);

/**
 * Errors that mean that the process is gone, or hidden from us. EMFILE (no free fd) is not among them: then no process counts as
 * gone.
 */
const GONE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

/**
 * Reads a small file of /proc; returns undefined if its process is gone, or belongs to another user. It takes a third of the time
 * of readFileSync, which matters with thousands of processes.
 */
export function readProc(path: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    let text = '';
    for (;;) {
      const length = readSync(fd, buffer, 0, buffer.length, null);
      text += buffer.toString('latin1', 0, length);
      if (length === 0 || (length < buffer.length && path.endsWith('/stat'))) return text;
    }
  } catch (error) {
    if (!GONE.has((error as NodeJS.ErrnoException).code)) throw error;
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Returns the identity of the process that `pidfd` refers to; null if it is gone, or /proc does not show it. */
export function identify(pid: number, pidfd: number): KernelProcessIdentity | null {
  const place = whereWeAre();
  let startTicks: string | undefined;
  try {
    startTicks = readStat(pid)?.startTicks;
  } catch {
    // EMFILE: the child runs, but is known by its pidfd only
  }
  // Checked after the read: as long as the process is not reaped, no other process can have its pid.
  if (place === null || startTicks === undefined || native.pidfdSignal(pidfd, 0) !== 0) return null;
  return { pid, startTicks, ...place };
}

/** The pidfd of no process: signals to it have no effect. */
export const NO_PROCESS = -1;

/** Returns a pidfd of the process with this pid; NO_PROCESS if it is gone, or if it started at another time than `startTicks`. */
export function openProcess(pid: number, startTicks?: string): number {
  if (pid <= 1) return NO_PROCESS;
  let pidfd: number;
  try {
    pidfd = native.pidfdOpen(pid);
  } catch {
    return NO_PROCESS; // ESRCH: it is gone
  }
  if (startTicks === undefined || identify(pid, pidfd)?.startTicks === startTicks) return pidfd;
  native.close(pidfd);
  return NO_PROCESS;
}

/** Sends signals to a process opened by `openProcess`, and closes it. */
export function signalAndClose(pidfd: number, signals: readonly NodeJS.Signals[]): void {
  if (pidfd === NO_PROCESS) return;
  for (const signal of signals) native.pidfdSignal(pidfd, constants.signals[signal]);
  native.close(pidfd);
}

/** Returns the start time of this process, for `openProcess` in another one. */
export function ownStartTicks(): string | undefined {
  const pidfd = openProcess(process.pid);
  const identity = pidfd === NO_PROCESS ? null : identify(process.pid, pidfd);
  signalAndClose(pidfd, []);
  return identity?.startTicks;
}

/**
 * Returns whether `identity` can be a process that is visible here: same boot, same namespace, and neither the kernel nor init.
 */
export function isOfThisPlace(identity: KernelProcessIdentity | null): identity is KernelProcessIdentity {
  const place = whereWeAre();
  return (
    identity !== null &&
    identity.pid > 1 &&
    identity.bootId === place?.bootId &&
    identity.pidNamespace === place.pidNamespace
  );
}

const TICK_MS = 10;

/** Returns the time since its start, by a monotonic clock; null if that is unknown. */
export function ageMs(identity: KernelProcessIdentity | null): number | null {
  if (!isOfThisPlace(identity)) return null;
  let uptime: string | undefined;
  try {
    uptime = readProc('/proc/uptime');
  } catch {
    return null; // no free fd
  }
  const age = Number(uptime?.split(' ')[0]) * 1000 - Number(identity.startTicks) * TICK_MS;
  return age > -TICK_MS ? Math.max(0, age) : null; // a container may count its own uptime
}

let place: Pick<KernelProcessIdentity, 'bootId' | 'pidNamespace'> | null | undefined;

/** Returns the boot and the namespace; null without /proc: then no identity can be known, and none is trusted. */
function whereWeAre(): Pick<KernelProcessIdentity, 'bootId' | 'pidNamespace'> | null {
  if (place === undefined) {
    try {
      const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
      const pidNamespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))![0];
      place = { bootId, pidNamespace };
    } catch {
      place = null;
    }
  }
  return place;
}
