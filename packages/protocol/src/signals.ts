/**
 * Names of signals, in one dialect everywhere: `SIGTERM`, and `SIGRTMIN+2` for real-time signals, which the tables of
 * Node and of the C library do not name. The table of the others comes from the caller: this package has no Node.
 */

/** The first real-time signal for the C library: it uses the kernel's 32 and 33 itself. */
const SIGRTMIN = 34;
const SIGRTMAX = 64;

/** Returns undefined for an unknown name. It also accepts `SIGRTMAX-1`. */
export function signalNumberIn(table: Readonly<Record<string, number>>, name: string): number | undefined {
  const realTime = /^SIGRT(?:MIN(?:\+(?<up>\d{1,2}))?|(?<max>MAX)(?:-(?<down>\d{1,2}))?)$/.exec(name);
  if (!realTime) return Object.hasOwn(table, name) ? table[name] : undefined;
  const { up = 0, max, down = 0 } = realTime.groups!;
  const number = max === undefined ? SIGRTMIN + Number(up) : SIGRTMAX - Number(down);
  return number >= SIGRTMIN && number <= SIGRTMAX ? number : undefined;
}

/** Returns the name of a signal; `SIG33` for a number that has no name. */
export function signalNameIn(table: Readonly<Record<string, number>>, number: number): string {
  for (const [name, value] of Object.entries(table)) if (value === number) return name;
  if (number < SIGRTMIN || number > SIGRTMAX) return `SIG${number}`;
  return number === SIGRTMIN ? 'SIGRTMIN' : `SIGRTMIN+${number - SIGRTMIN}`;
}
