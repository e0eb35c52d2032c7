/**
 * Resource limits. A child gets the limits of its caller. The daemon must not keep the limits of the shell that started
 * it: with `ulimit -t 2` in that shell, the kernel would end the keeper every two seconds. Keeps RUN-48, and RUN-4 with the native
 * `spawn`.
 */
import { readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { native } from '@spool/native';
import {
  LIMIT_NAMES,
  type Limit,
  type LimitName,
  limitNumber,
  type Limits,
  parseLimits,
  type RunRequest,
  SpoolError,
} from '@spool/protocol';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Linux's default limits, for clients that do not send theirs. All other limits are those of the daemon: unlimited. */
const USUAL: Limits = { core: [0, null], stack: [8 * MIB, null], nofile: [1024, null] };

/** Returns the limits of a child, as `native.spawn` takes them. */
export function childLimits({ limits = {}, nofileSoft, nice = 0 }: RunRequest): { limits: Float64Array; nice: number } {
  const triples = LIMIT_NAMES.flatMap((name) => {
    const given: Limit | undefined = limits[name] ?? USUAL[name];
    if (given === undefined) return [];
    const soft = name === 'nofile' && nofileSoft !== undefined ? nofileSoft : given[0];
    const hard = given[1] ?? Infinity;
    return [limitNumber(name), Math.min(soft ?? Infinity, hard), hard];
  });
  return { limits: new Float64Array(triples), nice };
}

/**
 * The limits that could end the daemon or stop it from working, each with the minimum that the daemon needs and the shell's
 * `ulimit` option. Logs are split into segments, so files need not be large. Node reserves much more address space than it uses.
 */
const HARMFUL: Readonly<Partial<Record<LimitName, readonly [least: number, flag: string, what: string]>>> = {
  cpu: [Infinity, '-t', 'seconds of CPU time'],
  fsize: [64 * MIB, '-f', 'bytes for a file'],
  data: [GIB, '-d', 'bytes of data'],
  as: [3 * GIB, '-v', 'bytes of address space'],
  rss: [0, '-m', 'bytes of memory'],
  nproc: [0, '-u', 'processes'],
  nofile: [128, '-n', 'open files'],
  rttime: [0, '-R', 'microseconds of real-time work'],
};

/** A privileged daemon raises its limit of open files to this. The kernel does not allow infinity here. */
const FILES_WANTED = 4096;

/** Raises the limits of this process as far as permitted. Throws if a remaining limit would end the daemon. */
export function shedOwnLimits(warn: (sentence: string) => void): void {
  for (const name of Object.keys(HARMFUL) as LimitName[]) {
    const resource = limitNumber(name);
    const hard = ownLimits()[name]?.[1] ?? Infinity;
    const wanted = name === 'nofile' ? Math.max(hard, FILES_WANTED) : Infinity;
    // Raising the hard limit needs a privilege; raising the soft limit up to it does not.
    if (native.setLimit(resource, wanted, wanted) !== 0) native.setLimit(resource, hard, hard);
    const [least, flag, what] = HARMFUL[name]!;
    const left = ownLimits()[name]?.[1] ?? Infinity;
    if (left < least) {
      const reason = `this shell allows no more than ${left} ${what} (ulimit -H${flag.slice(1)}), which would end the daemon; start it from another shell`;
      throw new SpoolError('DAEMON_START_FAILED', { reason });
    }
    if (left < wanted) warn(`started with a hard limit of ${left} ${what}: sessions cannot have more`);
  }
  if (getPriority() === 0) return;
  try {
    setPriority(0);
  } catch {
    warn(`started with niceness ${getPriority()}: sessions cannot have less`); // EACCES: lowering the niceness needs a privilege
  }
}

function ownLimits(): Limits {
  try {
    return parseLimits(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return {}; // no /proc: the limits are unknown, so none is refused
  }
}
