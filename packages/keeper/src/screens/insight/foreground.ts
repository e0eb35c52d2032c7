/** Asks the kernel for the command that a shell runs: the process group in the foreground of its terminal. */
import { readFileSync } from 'node:fs';

/** The minimum time between two queries of the kernel, except after input. */
const EVERY_MS = 500;
/** The minimum time if there has been neither input nor a change for a while: then no shell starts a command. */
const CALM_EVERY_MS = 2000;
const CALM_AFTER_MS = 5000;

/**
 * Decides when to query the kernel. A query costs three reads from /proc, so a session that never rests is not queried with every
 * look, but once more after the last.
 */
export class ForegroundWatch {
  /** The time of the next query if there is no output. */
  dueAt = Infinity;
  readonly #leader: number;
  readonly #read: typeof foregroundOf;
  #askedAt = 0;
  #command: string | null = null;
  /** The time at which the command changed, or a client typed. */
  #newsAt: number | null = null;

  constructor(leader: number, read = foregroundOf) {
    this.#leader = leader;
    this.#read = read;
  }

  /** Notes input: a shell may have received a command. */
  typed(at: number): void {
    this.#askedAt = 0;
    this.#newsAt = at;
  }

  /** Returns the command in the foreground (null for the session's own); undefined if it is too early to query again. */
  look(now: number): readonly string[] | null | undefined {
    this.#newsAt ??= now;
    const everyMs = Math.abs(now - this.#newsAt) > CALM_AFTER_MS ? CALM_EVERY_MS : EVERY_MS;
    const isFresh = Math.abs(now - this.#askedAt) < everyMs;
    this.dueAt = isFresh ? this.#askedAt + everyMs : Infinity;
    if (isFresh) return undefined;
    this.#askedAt = now;
    const command = this.#read(this.#leader);
    const words = command?.join(' ') ?? null;
    if (words !== this.#command) this.#newsAt = now;
    this.#command = words;
    return command;
  }
}

/** Returns the command line in the foreground of `leader`'s terminal; null if that is `leader` itself, or unknown. */
export function foregroundOf(leader: number): readonly string[] | null {
  try {
    // After the name, which may contain anything: state, parent, group, session, terminal, group in the foreground.
    const fields = afterName(readFileSync(`/proc/${leader}/stat`, 'latin1')).split(' ', 6);
    const [group, foreground] = [Number(fields[2]), Number(fields[5])];
    if (!(foreground > 0) || foreground === group) return null;
    const words = readFileSync(`/proc/${foreground}/cmdline`, 'utf8').split('\0').slice(0, -1);
    return words.length === 0 ? null : words;
  } catch {
    return null; // the process has ended meanwhile
  }
}

const afterName = (stat: string): string => stat.slice(stat.lastIndexOf(') ') + 2);
