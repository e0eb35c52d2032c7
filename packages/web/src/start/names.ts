/**
 * Names for sessions that are started on the page. The page runs a line through a shell, so the daemon would call every session
 * `sh`; the name is the program of the line instead. Keeps PAGE-63.
 */
import type { SessionInfo } from '@spool/client';

const NAME_CHARACTERS_MAX = 100;
/** Words before the program, which describe how it is run. */
const BEFORE_PROGRAM: ReadonlySet<string> = new Set(['exec', 'env', 'nice', 'nohup', 'sudo', 'time', 'command']);

/** Returns the name of the program in a line of shell: `npm` for `cd web && PORT=1 npm run dev`; null if it is unclear. */
export function programIn(line: string): string | null {
  const command = line
    .split(/&&|;/)
    .map((part) => part.trim())
    .find((part) => part !== '' && !/^cd(\s|$)/.test(part));
  const word = (command ?? '').split(/\s+/).find((each) => !/^\w+=/.test(each) && !BEFORE_PROGRAM.has(each));
  const name = word?.split('/').at(-1) ?? '';
  return /^[\w.+@-]+$/.test(name) && !name.startsWith('-') ? name.slice(0, NAME_CHARACTERS_MAX) : null;
}

/** Returns a free name. Names are unique among running sessions: the second `front` is `front-2`. */
export function freeName(name: string, sessions: Iterable<SessionInfo>): string {
  const taken = new Set([...sessions].filter(({ state }) => state === 'running').map((session) => session.name));
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name}-${count}`;
  return free;
}
