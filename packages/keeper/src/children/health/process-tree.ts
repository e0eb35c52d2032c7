/** Reads from the kernel whether the processes of a session run, wait or are stopped, and how much they have used. */
import { readdirSync, readlinkSync } from 'node:fs';
import { readProc } from '@spool/native/process-identity';

export interface TreeLook {
  /** The CPU time of the whole tree since its start, including children that have ended. */
  readonly cpuMs: number;
  /** The number of bytes read and written plus page faults: a program that computes in a loop causes neither. Null if unknown. */
  readonly deeds: number | null;
  readonly processes: number;
  /** Whether a process in the foreground is stopped by a signal (state T). */
  readonly isStopped: boolean;
  /** Whether the last process of the chain runs at this moment. */
  readonly isRunning: boolean;
  /** Whether a debugger holds one of the processes (state t). */
  readonly isTraced: boolean;
  /** Whether each process has at most one child: then all others wait for the last one. */
  readonly isChain: boolean;
  /** The last process of the chain, and the kernel function in which it waits; '' if it runs, or the function is unknown. */
  readonly last: { readonly pid: number; readonly waitsIn: string };
}

/** The maximum of processes that are read; a larger tree is certainly not stalled. */
const PROCESSES_MAX = 64;
/** The tick of `getconf CLK_TCK`, which is 100 on every Linux. */
const TICK_MS = 10;

/** Returns null if the process is gone. */
export function lookAtTree(leader: number): TreeLook | null {
  let cpuTicks = 0;
  let deeds: number | null = 0;
  let isStopped = false;
  let isTraced = false;
  let isChain = true;
  let last = 0;
  let isRunning = false;
  const pids = [leader];
  for (let at = 0; at < pids.length && at < PROCESSES_MAX; at++) {
    const pid = pids[at]!;
    const stat = readProc(`/proc/${pid}/stat`);
    if (stat === undefined) {
      if (pid === leader) return null;
      continue;
    }
    // After the name: state, parent, group, session, terminal, group in the foreground, flags, faults, …
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const count = (field: number): number => Number(fields[field]);
    cpuTicks += count(11) + count(12) + count(13) + count(14);
    if (fields[0] === 'T' && (count(5) <= 0 || fields[2] === fields[5])) isStopped = true;
    if (fields[0] === 't') isTraced = true;
    if (fields[0] !== 'Z') {
      last = pid;
      isRunning = fields[0] === 'R';
    }
    const bytes = ioBytes(pid);
    deeds = deeds === null || bytes === null ? null : deeds + bytes + count(7) + count(9);
    const children = childrenOf(pid);
    if (children.length > 1) isChain = false;
    pids.push(...children);
  }
  const waitsIn = isChain ? (readProc(`/proc/${last}/wchan`) ?? '').replace(/^0$/, '') : '';
  return {
    cpuMs: cpuTicks * TICK_MS,
    deeds,
    processes: pids.length,
    isStopped,
    isRunning,
    isTraced,
    isChain: isChain && pids.length <= PROCESSES_MAX,
    last: { pid: last, waitsIn },
  };
}

/** Returns whether a process accepts connections: a server is quiet for as long as no client connects. */
export function isServing(pid: number): boolean {
  try {
    const inodes = new Set(
      readdirSync(`/proc/${pid}/fd`).flatMap(
        (fd) => /^socket:\[(\d+)\]$/.exec(link(`/proc/${pid}/fd/${fd}`))?.[1] ?? [],
      ),
    );
    return inodes.size > 0 && listening(pid).some((inode) => inodes.has(inode));
  } catch {
    return false; // the process is gone, or belongs to another user
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      (readProc(`/proc/${pid}/task/${task}/children`) ?? '').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return []; // the process is gone
  }
}

function ioBytes(pid: number): number | null {
  const io = /^rchar: (\d+)\nwchar: (\d+)/.exec(readProc(`/proc/${pid}/io`) ?? '');
  return io === null ? null : Number(io[1]) + Number(io[2]);
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // the fd was closed meanwhile
  }
}

/** Returns the inodes of the sockets that listen, in the network namespace of the process. */
function listening(pid: number): string[] {
  const tcp = ['tcp', 'tcp6'].flatMap((table) =>
    (readProc(`/proc/${pid}/net/${table}`) ?? '')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .flatMap((fields) => (fields[3] === TCP_LISTEN ? (fields[9] ?? []) : [])),
  );
  const unix = (readProc(`/proc/${pid}/net/unix`) ?? '')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .flatMap((fields) => (fields[3] === UNIX_ACCEPTS ? (fields[6] ?? []) : []));
  return [...tcp, ...unix];
}

const TCP_LISTEN = '0A';
const UNIX_ACCEPTS = '00010000';
