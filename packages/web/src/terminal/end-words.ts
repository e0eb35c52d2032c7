/** Describes the end of a session in words. */
import type { SessionInfo } from '@spool/client';

type SessionEnd = Pick<SessionInfo, 'state' | 'exitCode' | 'signal' | 'endedBy'>;

export function endWords({ state, exitCode, signal, endedBy }: SessionEnd): string {
  if (state === 'lost') return 'Lost: it ended while no daemon was watching';
  const by = endedBy === 'timeout' ? ' (its time was up)' : '';
  if (signal !== null) return `Ended by ${signal}${by}`;
  if (exitCode === null) return `Ended${by}`;
  return exitCode === 0 ? `Ended: exit code 0${by}` : `Failed: exit code ${exitCode}${by}`;
}
