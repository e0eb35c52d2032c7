/** The limits of a process (setrlimit), as the shell's `ulimit` sets them, and as /proc shows them. */

/** The soft and hard limit; null for unlimited. */
export type Limit = readonly [soft: number | null, hard: number | null];

/**
 * The limits by name: the text in /proc/PID/limits and the kernel's number, which is the same on every supported architecture.
 */
const LIMITS = {
  cpu: ['Max cpu time', 0],
  fsize: ['Max file size', 1],
  data: ['Max data size', 2],
  stack: ['Max stack size', 3],
  core: ['Max core file size', 4],
  rss: ['Max resident set', 5],
  nproc: ['Max processes', 6],
  nofile: ['Max open files', 7],
  memlock: ['Max locked memory', 8],
  as: ['Max address space', 9],
  locks: ['Max file locks', 10],
  sigpending: ['Max pending signals', 11],
  msgqueue: ['Max msgqueue size', 12],
  nice: ['Max nice priority', 13],
  rtprio: ['Max realtime priority', 14],
  rttime: ['Max realtime timeout', 15],
} as const;

export type LimitName = keyof typeof LIMITS;
export type Limits = Readonly<Partial<Record<LimitName, Limit>>>;

export const LIMIT_NAMES = Object.keys(LIMITS) as readonly LimitName[];

/** Returns the kernel's RLIMIT_… of a limit. */
export function limitNumber(name: LimitName): number {
  return LIMITS[name][1];
}

/** Parses the text of /proc/PID/limits: `Max open files            1024                 524288               files`. */
export function parseLimits(text: string): Limits {
  const limits: Partial<Record<LimitName, Limit>> = {};
  for (const name of LIMIT_NAMES) {
    const found = new RegExp(`^${LIMITS[name][0]}\\s+(\\S+)\\s+(\\S+)`, 'm').exec(text);
    if (found) limits[name] = [parseLimit(found[1]!), parseLimit(found[2]!)];
  }
  return limits;
}

/** Parses a limit; a number beyond the exact range counts as unlimited. */
function parseLimit(text: string): number | null {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}
