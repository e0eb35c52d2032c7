/** A task: a session that a program awaits. The names are those that programs which await tasks already know. */
import type { SessionInfo } from './messages.ts';
import { questionLine } from './question.ts';
import type { StatusInfo } from './status.ts';

/** `error`: it ended by itself, not with 0; `timeout`: its own limit ended it; `cancelled`: a client ended it. */
export type TaskState = 'running' | 'success' | 'error' | 'timeout' | 'cancelled';

export interface TaskInfo {
  readonly id: string;
  readonly name: string;
  readonly state: TaskState;
  readonly pid: number;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly exitCode: number | null;
}

export type TaskEvent =
  | {
      readonly type: 'task_started';
      readonly at: number;
      readonly taskId: string;
      readonly name: string;
      readonly startedAt: number;
    }
  | {
      readonly type: 'task_finished';
      readonly at: number;
      readonly taskId: string;
      readonly name: string;
      readonly state: TaskState;
      readonly exitCode: number | null;
      readonly durationMs: number;
    };

/** What a task that waits for a person asks, in one line; null when it does not wait. */
export function taskQuestion(status: StatusInfo): string | null {
  if (status.state !== 'blocked') return null;
  return status.question ? questionLine(status.question) : (status.activity ?? status.why);
}

type Ending = Pick<SessionInfo, 'state' | 'endedBy'>;

export function taskStateOf({ state, endedBy }: Ending): TaskState {
  if (state === 'running') return 'running';
  if (endedBy === 'timeout') return 'timeout';
  if (endedBy !== null) return 'cancelled';
  return state === 'exited' ? 'success' : 'error';
}

export function taskOf(session: SessionInfo): TaskInfo {
  const { id, name, pid, startedAt, endedAt, exitCode } = session;
  return { id, name, state: taskStateOf(session), pid, startedAt, finishedAt: endedAt, exitCode };
}
