/**
 * How many files this process may have open, and how many it has. Both are asked of the kernel each time it matters: the
 * limit can be changed from outside (prlimit), and no count of our own would know what Node and its threads open.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';

export interface OpenFiles {
  readonly limit: number;
  readonly used: number;
}

/** POSIX promises no more than this to a process that nobody told a limit. */
const LIMIT_UNKNOWN = 256;

let limit = LIMIT_UNKNOWN;

/** Node has raised the soft limit to the hard one when it started. Takes some 20 µs. */
export function openFiles(): OpenFiles {
  limit = readLimit() ?? limit;
  return { limit, used: countUsed() ?? limit };
}

/** Undefined when there is no fd left to look with: what was known before is as good. */
function readLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return soft === undefined ? undefined : soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft);
  } catch {
    return undefined;
  }
}

/** Undefined when it cannot be learned, which happens when none is left. */
function countUsed(): number | undefined {
  try {
    // Linux 6.2 tells the number without listing them, and needs no fd for it.
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}
