/** Asks the kernel what a shell is running: the process group in the foreground of its terminal. */
import { readFileSync } from 'node:fs';

/** The command line in the foreground of `leader`'s terminal; null when that is `leader` itself, or unknown. */
export function foregroundOf(leader: number): readonly string[] | null {
  try {
    // After the name, which may contain anything: state, parent, group, session, terminal, group in the foreground.
    const fields = afterName(readFileSync(`/proc/${leader}/stat`, 'latin1')).split(' ', 6);
    const [group, foreground] = [Number(fields[2]), Number(fields[5])];
    if (!(foreground > 0) || foreground === group) return null;
    const words = readFileSync(`/proc/${foreground}/cmdline`, 'utf8').split('\0').slice(0, -1);
    return words.length === 0 ? null : words;
  } catch {
    return null; // it has ended meanwhile
  }
}

const afterName = (stat: string): string => stat.slice(stat.lastIndexOf(') ') + 2);
