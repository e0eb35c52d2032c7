/** Describes the state of a session to the user. */
import type { SessionInfo } from '@spool/protocol';
import { printable } from './printable.ts';

type End = Pick<SessionInfo, 'state' | 'exitCode' | 'signal'> & Partial<Pick<SessionInfo, 'endedBy'>>;

/** Returns the state for a column: `running`, `exited`, `failed 3`, `stopped SIGHUP`, `timed out`. */
export function describeState({ state, exitCode, signal, endedBy }: End): string {
  if (endedBy === 'timeout') return TIMED_OUT;
  if (state === 'running' || state === 'exited' || state === 'lost') return state;
  const how = exitCode ?? signal;
  return how === null ? state : `${state} ${how}`;
}

/** The words for a session that its own time limit has ended. */
const TIMED_OUT = 'timed out';

/** Shortens a column's words to one word, for a narrow terminal: `blocked` for `blocked permission`; `failed 3` is short enough. */
export function shortState(words: string): string {
  return words === TIMED_OUT ? words : words.replace(/^(\S+) \D.*$/s, '$1');
}

/** Returns the activity of a running session (`working`, `blocked permission`, `idle prompt`), or how it ended: for a column. */
export function statusWords(session: End & Pick<SessionInfo, 'status'>): string {
  const { state, kind } = session.status;
  if (isEnded(session) || state === 'exited') return describeState(session);
  return kind === null ? state : `${state} ${kind}`;
}

/** Returns the end, to follow "ended, ": `exit code 3`, `signal SIGSEGV`, `killed by SIGKILL`, …. */
export function endWords({ state, exitCode, signal, endedBy }: End): string {
  if (endedBy === 'timeout') return TIMED_OUT;
  if (state === 'lost') return 'exit code unknown, because the daemon died';
  if (exitCode !== null) return `exit code ${exitCode}`;
  if (signal === null) return state;
  return state === 'failed' ? `signal ${signal}` : `${state} by ${signal}`;
}

/** Returns the end as a sentence: `build exited with code 7`, `build was stopped (SIGTERM)`. */
export function endSentence(session: End & Pick<SessionInfo, 'name'>): string {
  const { state, exitCode, signal, endedBy } = session;
  const name = printable(session.name);
  if (state === 'lost') return `${name} was lost: ${endWords(session)}`;
  if (endedBy === 'timeout') return `${name} ${TIMED_OUT}`;
  if (state === 'stopped' || state === 'killed') return `${name} was ${state} (${signal ?? `exit code ${exitCode}`})`;
  return exitCode === null ? `${name} was ended by ${signal}` : `${name} exited with code ${exitCode}`;
}

export function isEnded(session: Pick<SessionInfo, 'state'>): boolean {
  return session.state !== 'running';
}

/** Returns the words for a screen that is painted from a log with lost bytes. */
export function missingWords(bytes: number): string {
  return `${bytes} bytes of its output are no longer stored; this screen is painted without them`;
}

export function gapWords(from: number, to: number): string {
  return `the output from offset ${from} to ${to} is missing: it was deleted, or could not be stored`;
}
