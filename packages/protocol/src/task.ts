/** A task: a session that a program awaits. The names are those that programs with tasks already know. */
import type { MessageOf } from './message-type.ts';
import type { SessionInfo } from './messages.ts';
import { questionLine } from './question.ts';
import type { TASK } from './schemas/session.ts';
import type { StatusInfo } from './status.ts';

export type TaskInfo = MessageOf<typeof TASK>;
export type TaskState = TaskInfo['state'];

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
    }
  /** The task waits for a person. */
  | {
      readonly type: 'task_blocked';
      readonly at: number;
      readonly taskId: string;
      readonly name: string;
      /** The kind, as in the status: `confirm`, `password`, `menu`, … */
      readonly kind: string | null;
      /** The question, in one line. */
      readonly question: string;
    }
  /** The task continues after `task_blocked`. */
  | { readonly type: 'task_unblocked'; readonly at: number; readonly taskId: string; readonly name: string };

/** Returns the question of a task that waits for a person, in one line; null if it does not wait. */
export function taskQuestion(status: StatusInfo): string | null {
  if (status.state !== 'blocked') return null;
  return status.question ? questionLine(status.question) : (status.activity ?? status.why);
}

type EndState = Pick<SessionInfo, 'state' | 'endedBy'>;

export function taskStateOf({ state, endedBy }: EndState): TaskState {
  if (state === 'running') return 'running';
  if (endedBy === 'timeout') return 'timeout';
  if (endedBy !== null) return 'cancelled';
  return state === 'exited' ? 'success' : 'error';
}

/** Returns the name that the task was started with. */
export function taskNameOf({ name, taskName }: Pick<SessionInfo, 'name' | 'taskName'>): string {
  return taskName ?? name;
}

export function taskOf(session: SessionInfo): TaskInfo {
  const { id, pid, startedAt, endedAt, exitCode, timeoutMs, labels, startedBy } = session;
  return {
    id,
    name: taskNameOf(session),
    state: taskStateOf(session),
    pid,
    startedAt,
    finishedAt: endedAt,
    exitCode,
    attachName: session.name,
    timeoutMs: timeoutMs ?? null,
    labels,
    startedBy: startedBy ?? null,
  };
}
