/**
 * Reports how many files this process may open, and how many it has open. Both are read from the kernel each time: the limit can
 * be changed from outside (prlimit), and our own count would miss the files that Node and its threads open.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';

export interface OpenFiles {
  readonly limit: number;
  readonly used: number;
}

/** The limit if it is unknown: the minimum that POSIX guarantees. */
const LIMIT_UNKNOWN = 256;

let limit = LIMIT_UNKNOWN;

/**
 * Returns the limit and the number of open files. Node raised the soft limit to the hard limit when it started. A call takes some
 * 20 µs.
 */
export function openFiles(): OpenFiles {
  limit = readLimit() ?? limit;
  return { limit, used: countUsed() ?? limit };
}

/** Returns undefined if no fd is left for the read: the caller then uses the previous value. */
function readLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return soft === undefined ? undefined : soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft);
  } catch {
    return undefined;
  }
}

/** Returns undefined if it cannot be read, for example because no fd is left. */
function countUsed(): number | undefined {
  try {
    // Linux 6.2 reports the number without listing the fds, and needs no fd for it.
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}
