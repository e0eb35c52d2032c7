/**
 * The limits of the caller's shell, for the child. For open files, the limits of this process are not the caller's: Node raises the
 * soft limit to the hard one at its start. A child with such a limit takes forever, or breaks, if it closes or selects over all
 * possible fds.
 */
import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { type Limits, parseLimits } from '@spool/protocol';

/** The soft limit of Linux by default, and the maximum for programs with `select`. */
const NOFILE_USUAL = 1024;

export interface CallerLimits {
  readonly umask: number;
  readonly nofileSoft: number;
  readonly limits: Limits;
  readonly nice: number;
}

export function callerLimits(): CallerLimits {
  const own = parseLimits(readProc('/proc/self/limits'));
  const soft = nofileSoft(own);
  const limits = { ...own, ...(own.nofile && { nofile: [soft, own.nofile[1]] as const }) };
  return { umask: umask(), nofileSoft: soft, limits, nice: getPriority() };
}

function nofileSoft(own: Limits): number {
  const parent = parseLimits(readProc(`/proc/${process.ppid}/limits`)).nofile?.[0];
  return parent ?? Math.min(NOFILE_USUAL, own.nofile?.[1] ?? NOFILE_USUAL);
}

function umask(): number {
  const found = /^Umask:\s+([0-7]+)/m.exec(readProc('/proc/self/status'));
  // `process.umask()` has to set the mask to read it, for all threads, so it is the second choice.
  return found === null ? process.umask() : Number.parseInt(found[1]!, 8);
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // no /proc (not Linux), or the parent is gone: use the defaults
  }
}
