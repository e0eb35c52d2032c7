/**
 * Asks the kernel about the processes in the foreground of a terminal: which one leads them, and whether they have run since the
 * last check. A program that is starting has not yet set how it reads its terminal; one that sleeps usually has.
 */
import { readFileSync } from 'node:fs';

export interface TerminalReader {
  /** The name of the process that leads the foreground; empty when it is gone. */
  readonly name: string;
  /** The command line of that process. */
  readonly words: readonly string[];
  /** A mark that is equal in two checks if none of the processes ran in between. Null while one of them is running. */
  readonly restMark: string | null;
  /** The total time for which the processes have waited for a processor: on a busy machine a program starts slowly. */
  readonly starvedMs: number;
  /**
   * Whether one of the processes waits for a line of the terminal. False also if the kernel does not report what a process waits
   * for.
   */
  readonly isReading: boolean;
}

/** The maximum of processes that are read: a pipeline has a few; a larger build is not read completely. */
const PROCESSES_MAX = 64;

/** The kernel functions in which a read from a terminal sleeps. */
const TERMINAL_READS: ReadonlySet<string> = new Set(['wait_woken', 'n_tty_read']);

/** Returns the state of the foreground; `leader` is the child of the session, which owns the terminal. */
export function terminalReader(leader: number): TerminalReader {
  const group = statOf(leader)?.foreground ?? leader;
  const marks: string[] = [];
  let isReading = false;
  let starvedMs = 0;
  let isRunning = false;
  const pids = [leader];
  for (let at = 0; at < pids.length && at < PROCESSES_MAX; at++) {
    const pid = pids[at]!;
    const stat = statOf(pid);
    if (stat === null) continue;
    pids.push(...childrenOf(pid));
    if (stat.group !== group) continue;
    starvedMs += starvedMsOf(pid);
    isRunning ||= stat.state === 'R' || stat.state === 'D';
    marks.push(`${pid}:${switchesOf(pid)}`);
    isReading ||= TERMINAL_READS.has(read(`/proc/${pid}/wchan`).trim());
  }
  if (isRunning) return { ...commandOf(group), restMark: null, starvedMs, isReading: false };
  return { ...commandOf(group), restMark: marks.join(' '), starvedMs, isReading };
}

function statOf(pid: number): { readonly state: string; readonly group: number; readonly foreground: number } | null {
  const stat = read(`/proc/${pid}/stat`);
  // After the name, which may contain anything: state, parent, group, session, terminal, group in the foreground.
  const [state, , group, , , foreground] = stat.slice(stat.lastIndexOf(') ') + 2).split(' ', 6);
  return state === undefined || foreground === undefined
    ? null
    : { state, group: Number(group), foreground: Number(foreground) };
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function switchesOf(pid: number): string {
  return (
    read(`/proc/${pid}/status`)
      .match(/^(non)?voluntary_ctxt_switches:.*$/gm)
      ?.join(' ') ?? ''
  );
}

/** Returns the waiting time of the first thread; 0 if the kernel does not count it. */
function starvedMsOf(pid: number): number {
  const [, waitedNs = '0'] = read(`/proc/${pid}/schedstat`).split(' ');
  return Number(waitedNs) / 1e6 || 0;
}

function commandOf(pid: number): Pick<TerminalReader, 'name' | 'words'> {
  const words = read(`/proc/${pid}/cmdline`).split('\0').slice(0, -1);
  return { name: read(`/proc/${pid}/comm`).trimEnd(), words };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // the process has ended meanwhile
  }
}
