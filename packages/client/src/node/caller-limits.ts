/**
 * The limits that the caller's shell runs under, to be given to the child. Not our own: Node raises the soft limit of open
 * files to the hard one at its start, and programs that close or select over all possible fds then take for ever, or break.
 */
import { readFileSync } from 'node:fs';

/** What every Linux starts with, and what programs that still use `select` can bear. */
const NOFILE_USUAL = 1024;

export function callerLimits(): { umask: number; nofileSoft: number } {
  return { umask: umask(), nofileSoft: nofileSoft() };
}

function nofileSoft(): number {
  const parent = openFiles(process.ppid);
  if (parent !== undefined && Number.isSafeInteger(parent.soft)) return parent.soft;
  return Math.min(NOFILE_USUAL, openFiles('self')?.hard ?? NOFILE_USUAL);
}

/** `Max open files            1024                 524288               files` */
function openFiles(process: number | 'self'): { soft: number; hard: number } | undefined {
  const found = /^Max open files\s+(\S+)\s+(\S+)/m.exec(readProc(`/proc/${process}/limits`));
  if (found === null) return undefined;
  const [soft, hard] = found.slice(1).map((text) => (text === 'unlimited' ? Infinity : Number(text)));
  return { soft: soft!, hard: hard! };
}

function umask(): number {
  const found = /^Umask:\s+([0-7]+)/m.exec(readProc('/proc/self/status'));
  // `process.umask()` has to set the mask to read it, for all threads; so it is the second choice.
  return found === null ? process.umask() : Number.parseInt(found[1]!, 8);
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // no /proc (not Linux), or the parent is gone: the usual values then
  }
}
