import type { SessionInfo, TaskResult } from '@spool/client';
import { EXIT, exitCodeOfSession } from '../command-line/exit-code.ts';

/** The exit code of a task: that of the command, or 124 if its time limit ended it, as `timeout` returns. */
export function exitCodeOfTask(
  { state }: Pick<TaskResult, 'state'>,
  end: Pick<SessionInfo, 'exitCode' | 'signal'>,
): number {
  return state === 'timeout' ? EXIT.timedOut : exitCodeOfSession(end);
}
