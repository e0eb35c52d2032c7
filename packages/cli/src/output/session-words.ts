/** How a session is told to people. */
import type { SessionInfo } from '@spool/protocol';

type End = Pick<SessionInfo, 'state' | 'exitCode' | 'signal'>;

/** `running`, `exited`, `failed 3`, `stopped SIGHUP`: for a column. */
export function stateWords({ state, exitCode, signal }: End): string {
  if (state === 'running' || state === 'exited' || state === 'lost') return state;
  const how = exitCode ?? signal;
  return how === null ? state : `${state} ${how}`;
}

/** What a session that runs does (`working`, `blocked permission`, `idle prompt`), or how it ended: for a column. */
export function statusWords(session: End & Pick<SessionInfo, 'status'>): string {
  const { state, kind } = session.status;
  if (isEnded(session) || state === 'exited') return stateWords(session);
  return kind === null ? state : `${state} ${kind}`;
}

/** `exit code 3`, `signal SIGSEGV`, `killed by SIGKILL`, …: after "ended, ". */
export function endWords({ state, exitCode, signal }: End): string {
  if (state === 'lost') return 'its end was not seen: the whole daemon had died';
  if (exitCode !== null) return `exit code ${exitCode}`;
  if (signal === null) return state;
  return state === 'failed' ? `signal ${signal}` : `${state} by ${signal}`;
}

export function isEnded(session: Pick<SessionInfo, 'state'>): boolean {
  return session.state !== 'running';
}

export function gapWords(from: number, to: number): string {
  return `the bytes from offset ${from} to ${to} are no longer kept`;
}
