/**
 * Tasks: commands that a program awaits. A task is a session, so it survives the program that started it: its handle is plain
 * data, and any process that has it (or the id) can await the same task. Keeps TASK-1, TASK-2, TASK-3 and TASK-6: results, ends
 * and events come from the daemon, in order, and a stored handle finds its task again. Keeps TASK-9: the question of a task is in
 * its result.
 */
import {
  type Milestone,
  type SessionInfo,
  SpoolError,
  type TaskEvent,
  type TaskInfo,
  taskNameOf,
  taskOf,
  type Size,
  type TaskState,
  TIMEOUT_MS_MAX,
  type StatusInfo,
  taskQuestion,
} from '@spool/protocol';
import { longDuration } from '@spool/protocol/duration';
import { badArgument } from './check.ts';
import type { Client } from './client.ts';
import type { WaitOptions } from './options.ts';
import { AsyncQueue } from './streams/async-queue.ts';
import { Reading } from './streams/reading.ts';
import type { Session } from './session.ts';
import type { AbortSignalLike } from './link/runtime.ts';
import { tail } from './tail.ts';

export interface ShellOptions {
  /** Whether it runs on a terminal, as a separate task in the background (default: false). */
  readonly pty?: boolean | undefined;
  /** The time limit in seconds (default: 300); after that the whole process tree is ended. Null means no limit. */
  readonly timeout?: number | null | undefined;
  /** A label for users: several tasks may have the same. The session of the second task is called `NAME-2`. */
  readonly taskName?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** The size of its terminal, with `pty` (default: 80 × 24). */
  readonly size?: Size | undefined;
  /** Whether the task and its tree are stopped when this process is gone (default: they survive it). */
  readonly whileOwner?: boolean | undefined;
  /** The working folder (default: the caller's); a relative path is resolved from there. */
  readonly cwd?: string | undefined;
  /** The whole environment (default: the allow-listed part of the caller's, with CI, NODE_ENV and npm_config_*). */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Whether to pass all of the caller's environment. */
  readonly inheritEnv?: boolean | undefined;
  /**
   * The id, 8 to 32 of [a-z0-9]. A repeated id never starts a second task, so a program that was killed can continue where it
   * was.
   */
  readonly id?: string | undefined;
}

/** The handle of a task. It is plain data: it can be stored, sent, and awaited elsewhere. */
export interface TaskHandle {
  readonly taskId: string;
  readonly name: string;
  readonly status: 'started';
}

export interface TaskResult extends TaskInfo {
  readonly durationMs: number;
  /** The end in words: `exit code 1`, `ended by its time limit after 5m, with all its processes`. */
  readonly reason: string;
  /** The last lines of a task that has ended, which a user would read first; empty while it runs. */
  readonly lastLines: readonly string[];
  readonly milestone: Milestone | null;
  /** The question while it waits for a person, or that was open when its time limit ended it; otherwise null. */
  readonly blocked: { readonly kind: string | null; readonly question: string } | null;
}

export interface CompletionOptions extends WaitOptions {
  /** The conditions that end the wait too: the task waits for a person (`blocked`), or is quiet at a prompt (`idle`). */
  readonly until?: readonly ('exit' | 'blocked' | 'idle' | 'prompt')[] | undefined;
}

/** The result of a command that was run without `pty`. */
export interface ShellResult extends TaskResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Whether output beyond 8 MiB was left out here; it is in the log. */
  readonly isCut: boolean;
}

export type TaskStreamEvent =
  | TaskEvent
  | {
      readonly type: 'task_log';
      readonly taskId: string;
      readonly chunk: string;
      /** The stream, for a task on pipes. */
      readonly stream?: 'stdout' | 'stderr';
    };

export interface TaskEventsOptions {
  /** The tasks to follow, until all of them have finished (default: all, including future ones). */
  readonly tasks?: readonly (TaskHandle | string)[] | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

const TIMEOUT_SECONDS = 300;
const LAST_LINES = 20;
const SHELL_CHARACTERS_MAX = 8 * 1024 * 1024;
const SHELL = '/bin/sh';

/** The maximum of waiting events; above it, reading of output pauses. */
const WAITING_MAX = 256;

export function taskIdOf(task: TaskHandle | string): string {
  return typeof task === 'string' ? task : task.taskId;
}

export async function startTask(client: Client, command: string, options: ShellOptions): Promise<TaskHandle> {
  const { timeout = TIMEOUT_SECONDS, taskName, pty = true, size, ...rest } = options;
  const session = await client.run({
    ...rest,
    command: [SHELL, '-c', command],
    name: taskName,
    timeoutMs: timeout === null ? undefined : timeoutMsOf(timeout),
    isTask: true,
    size: pty ? size : null,
  });
  if (!pty) await closeInput(session);
  return { taskId: session.id, name: taskNameOf(session.info), status: 'started' };
}

function timeoutMsOf(seconds: number): number {
  const ms = Math.max(1, Math.round(seconds * 1000));
  if (seconds > 0 && ms <= TIMEOUT_MS_MAX) return ms;
  throw badArgument('timeout', seconds, `it must be a number of seconds, above 0 and at most ${TIMEOUT_MS_MAX / 1000}`);
}

/** Closes the input of a task on pipes. */
async function closeInput(session: Session): Promise<void> {
  try {
    await session.closeInput();
  } catch (error) {
    // The task ended quickly, or another process had started it before us.
    if (!SpoolError.is(error, 'SESSION_EXITED') && !SpoolError.is(error, 'INPUT_CLOSED')) throw error;
  }
}

export async function runAndWait(client: Client, command: string, options: ShellOptions): Promise<ShellResult> {
  const { taskId } = await startTask(client, command, { ...options, pty: false });
  const texts = { stdout: '', stderr: '' };
  let isCut = false;
  for await (const item of client.watchText(taskId, { from: 0 })) {
    if (item.type === 'text' && texts[item.stream].length < SHELL_CHARACTERS_MAX) texts[item.stream] += item.data;
    else isCut ||= item.type === 'text' || item.type === 'gap';
  }
  return { ...(await complete(client, taskId)), ...texts, isCut };
}

/** Resolves when the task has finished, with the result. There is no polling: the daemon notifies. */
export async function complete(
  client: Client,
  task: TaskHandle | string,
  { until = [], ...options }: CompletionOptions = {},
): Promise<TaskResult> {
  const { session } = await client.waitUntil(taskIdOf(task), ['exit', ...until], { ...options, wholeTree: true });
  return resultOf(client, session);
}

/**
 * Waits for the end of the whole tree: when a task is stopped or times out, other processes of it may take up to the grace
 * period.
 */
async function ended(client: Client, id: string, options: WaitOptions): Promise<SessionInfo> {
  return (await client.waitUntil(id, 'exit', { ...options, wholeTree: true })).session;
}

async function resultOf(client: Client, session: SessionInfo): Promise<TaskResult> {
  const task = taskOf(session);
  const blocked = await readQuestion(client, session);
  const lastLines = task.state !== 'running' ? (await tail(client, session.id, { lines: LAST_LINES })).split('\n') : [];
  return {
    ...task,
    durationMs: (session.endedAt ?? Date.now()) - session.startedAt,
    reason: reasonOf(session, task.state, blocked),
    blocked,
    lastLines: lastLines.filter((line) => line !== ''),
    milestone: task.state === 'running' ? session.milestone : await lastMilestone(client, session),
  };
}

/**
 * Returns the last milestone. The screen thread, which reads output for milestones, may be a moment behind the end; it answers once
 * it has caught up.
 */
async function lastMilestone(client: Client, { id, milestone }: SessionInfo): Promise<Milestone | null> {
  try {
    const last = (await client.explain(id)).history.findLast((item) => item.type === 'milestone');
    if (last === undefined) return milestone;
    const { type: _type, at: _at, ...reached } = last;
    return reached;
  } catch (error) {
    if (!SpoolError.is(error)) throw error;
    return milestone; // the requested result is known
  }
}

/** Returns the question of a running task, or of one that its time limit ended while it waited. */
async function readQuestion(client: Client, session: SessionInfo): Promise<TaskResult['blocked']> {
  if (session.state === 'running') {
    const question = taskQuestion(session.status);
    return question === null ? null : { kind: session.status.kind, question };
  }
  if (session.endedBy !== 'timeout') return null;
  try {
    const statuses = (await client.explain(session.id)).history.filter((item) => item.type === 'status');
    const last = statuses.findLast(({ state }) => state !== 'exited');
    return last?.state === 'blocked' ? { kind: last.kind, question: last.question ?? last.why } : null;
  } catch (error) {
    if (!SpoolError.is(error)) throw error;
    return null; // the requested result is known
  }
}

function reasonOf(session: SessionInfo, taskState: TaskState, blocked: TaskResult['blocked']): string {
  const { exitCode, signal, startedAt, endedAt, state, startedBy } = session;
  const asked = blocked && JSON.stringify(blocked.question);
  if (taskState === 'running') return asked === null ? 'still running' : `waits for a person: ${asked}`;
  if (taskState === 'timeout') {
    const took = longDuration((endedAt ?? startedAt) - startedAt);
    const waiting = asked === null ? '' : `; it was waiting for a person: ${asked}`;
    return `ended by its time limit after ${took}, with all its processes${waiting}`;
  }
  if (session.endedBy === 'owner') {
    const pids = startedBy?.owners.map(({ pid }) => pid).join(' or ') ?? '';
    return `stopped because the process that owned it is gone (pid ${pids})`;
  }
  if (taskState === 'cancelled') return 'cancelled';
  if (exitCode !== null) return `exit code ${exitCode}`;
  return signal === null ? state : `signal ${signal}`;
}

/**
 * Events of tasks, including their output, as they happen. Running tasks are reported as started. With `tasks` it ends when all
 * of them have ended.
 *
 * Of the daemon's events it uses only the starts. The output and end of each task are requested by its id, so a broken link neither
 * loses nor repeats them.
 */
export class TaskEvents extends Reading<TaskStreamEvent> {
  readonly #client: Client;
  readonly #waiting: TaskStreamEvent[] = [];
  readonly #items: AsyncQueue<TaskStreamEvent>;
  readonly #followed = new Set<string>();
  /** Set while so many events wait for the reader that reading of output pauses. */
  #room: PromiseWithResolvers<void> | null = null;

  constructor(client: Client, { tasks, signal }: TaskEventsOptions = {}) {
    super();
    this.#client = client;
    this.#items = new AsyncQueue({
      signal,
      take: () => this.#take(),
      drop: () => (this.#waiting.length = 0),
      onEnd: () => this.#room?.resolve(),
    });
    if (this.#items.isEnded) return;
    (tasks ? this.#followThese(tasks) : this.#followAll()).catch((error: unknown) => this.#items.end(error));
  }

  next(): Promise<IteratorResult<TaskStreamEvent, undefined>> {
    return this.#items.next();
  }

  close(): void {
    this.#items.close();
  }

  async #followThese(tasks: readonly (TaskHandle | string)[]): Promise<void> {
    const sessions = await Promise.all(tasks.map((task) => this.#client.get(taskIdOf(task))));
    await Promise.all(sessions.map((session) => this.#follow(session)));
    this.#items.end();
  }

  async #followAll(): Promise<void> {
    const starts = this.#client.events({ types: ['task_started'], signal: this.#items.ended });
    /** Tasks that seem to have ended before the subscription; a quick one may still be reported as started. */
    const past = new Set<string>();
    for (const session of await this.#listed()) {
      if (session.state === 'running') void this.#follow(session);
      else past.add(session.id);
    }
    for await (const event of starts) {
      if (event.type === 'task_started') void this.#followNew(event.taskId);
      if (event.type !== 'events-missed') continue;
      // Tasks whose start was missed may have ended since.
      for (const session of await this.#listed()) if (!past.has(session.id)) void this.#follow(session);
    }
  }

  async #listed(): Promise<readonly SessionInfo[]> {
    return this.#client.list({ isTask: true });
  }

  async #followNew(taskId: string): Promise<void> {
    try {
      await this.#follow(await this.#client.get(taskId));
    } catch (error) {
      if (!SpoolError.is(error, 'SESSION_UNKNOWN')) this.#items.end(error);
    }
  }

  /** Follows one task, from its start to its end. All of its log is reported before its end. */
  async #follow(session: SessionInfo): Promise<void> {
    const { id: taskId, startedAt } = session;
    if (this.#followed.has(taskId)) return;
    this.#followed.add(taskId);
    const name = taskNameOf(session);
    const isOnPipes = session.size === null;
    const signal = this.#items.ended;
    const over = this.#followQuestions(taskId, name);
    try {
      this.#push({ type: 'task_started', at: startedAt, taskId, name, startedAt });
      try {
        for await (const item of this.#client.watchText(taskId, { from: 0, signal })) {
          if (item.type === 'text')
            this.#push({ type: 'task_log', taskId, chunk: item.data, ...(isOnPipes && { stream: item.stream }) });
          await this.#room?.promise;
        }
      } catch (error) {
        if (!SpoolError.is(error, 'ROLE_TOO_LOW')) throw error; // viewers may read the end of an agent, but not its wire
      }
      this.#push(finishOf(await ended(this.#client, taskId, { signal })));
    } catch (error) {
      if (!SpoolError.is(error, 'SESSION_UNKNOWN')) this.#items.end(error); // removed: no events are left
    } finally {
      over();
    }
  }

  /** Reports each question once. Returns a function that ends it. */
  #followQuestions(taskId: string, name: string): () => void {
    const statuses = this.#client.events({ sessions: [taskId], types: ['session-status'], signal: this.#items.ended });
    let told: string | null = null;
    const tell = (status: StatusInfo, at: number): void => {
      const question = taskQuestion(status);
      if (question === told) return;
      told = question;
      if (question === null) this.#push({ type: 'task_unblocked', at, taskId, name });
      else this.#push({ type: 'task_blocked', at, taskId, name, kind: status.kind, question });
    };
    const follow = async (): Promise<void> => {
      const { status, state } = await this.#client.get(taskId);
      if (state === 'running') tell(status, status.since);
      for await (const event of statuses) if (event.type === 'session-status') tell(event.status, event.at);
    };
    void follow().catch(() => {}); // its output and its end report the same error
    return () => statuses.close();
  }

  #push(event: TaskStreamEvent): void {
    if (this.#items.isEnded) return;
    this.#waiting.push(event);
    if (this.#waiting.length >= WAITING_MAX) this.#room ??= Promise.withResolvers();
    this.#items.flush();
  }

  #take(): TaskStreamEvent | undefined {
    const event = this.#waiting.shift();
    if (this.#room !== null && this.#waiting.length <= WAITING_MAX / 2) {
      this.#room.resolve();
      this.#room = null;
    }
    return event;
  }
}

function finishOf(session: SessionInfo): TaskEvent {
  const { id: taskId, startedAt, exitCode } = session;
  const at = session.endedAt ?? startedAt;
  return {
    type: 'task_finished',
    at,
    taskId,
    name: taskNameOf(session),
    state: taskOf(session).state,
    exitCode,
    durationMs: at - startedAt,
  };
}
