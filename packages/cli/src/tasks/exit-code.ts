import type { SessionInfo, TaskResult } from '@spool/client';
import { EXIT, exitCodeOfSession } from '../command-line/exit-code.ts';

/** What a shell should see of a task: the command's own code, and 124 when its time limit ended it, as `timeout` would. */
export function exitCodeOfTask(
  { state }: Pick<TaskResult, 'state'>,
  end: Pick<SessionInfo, 'exitCode' | 'signal'>,
): number {
  return state === 'timeout' ? EXIT.timedOut : exitCodeOfSession(end);
}
