/**
 * Limits: those that a child gets, which are its caller's, and those of the daemon, which must not be the ones of whoever
 * happened to start it. With `ulimit -t 2` in that shell, the kernel would end the keeper every two seconds.
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

/** What Linux starts everybody with: for clients that do not say their limits. The others are the daemon's, which has none. */
const USUAL: Limits = { core: [0, null], stack: [8 * MIB, null], nofile: [1024, null] };

/** What a child is limited to, for `native.spawn`. */
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
 * What would end the daemon or keep it from working, with the least that it needs and the option of the shell's `ulimit`.
 * Logs are cut into segments, so files need not grow far. Node reserves much more address space than it uses.
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

/** Files that a daemon with the privilege gives itself, if it was started with fewer. The kernel allows no infinity of these. */
const FILES_WANTED = 4096;

/** Raises the limits of this process as far as it may. Throws a sentence when what is left would end the daemon. */
export function shedOwnLimits(warn: (sentence: string) => void): void {
  for (const name of Object.keys(HARMFUL) as LimitName[]) {
    const resource = limitNumber(name);
    const hard = ownLimits()[name]?.[1] ?? Infinity;
    const wanted = name === 'nofile' ? Math.max(hard, FILES_WANTED) : Infinity;
    // Beyond the hard limit only with the privilege; up to it always.
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
    warn(`started with niceness ${getPriority()}: sessions cannot have less`); // EACCES: a privilege
  }
}

function ownLimits(): Limits {
  try {
    return parseLimits(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return {}; // no /proc: nothing is known, and nothing refused
  }
}
