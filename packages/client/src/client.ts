/**
 * The client: all requests to a daemon, over one connection that reconnects by itself.
 *
 * Requests with one answer are in `RequestClient`; this file has the lasting ones: sessions, streams, tasks, agents. `run` is
 * safe to repeat, because it chooses its own id.
 */
import {
  type LogMarkInfo,
  type ProcessIdentity,
  type Requests,
  SpoolError,
  type TaskInfo,
  taskOf,
} from '@spool/protocol';
import { AgentHandle } from './agents/agent-handle.ts';
import { type AgentOptions, agentRun } from './agents/launch.ts';
import { continuedCommand, type ResumeOptions, resumedRun } from './agents/resume.ts';
import type { Runtime } from './link/runtime.ts';
import { Nodes, roadsOf } from './nodes/nodes.ts';
import type { RunOptions } from './options.ts';
import { type ClientOptions, RequestClient } from './request-client.ts';
import { runRequest, start } from './run.ts';
import { Session } from './session.ts';
import { AgentEvents } from './streams/agent-events.ts';
import { Attachment, type AttachOptions } from './streams/attachment.ts';
import { Events, type EventsOptions } from './streams/events.ts';
import { type OutputCallback, type SubscribeOptions, subscribeOutput } from './streams/output-subscription.ts';
import { RecordWatch, type RecordWatchOptions } from './streams/record-watch.ts';
import { TextWatch, type TextWatchOptions } from './streams/text-watch.ts';
import { Watch, type WatchOptions } from './streams/watch.ts';
import { tail, type TailOptions } from './tail.ts';
import {
  complete,
  type CompletionOptions,
  runAndWait,
  type ShellOptions,
  type ShellResult,
  startTask,
  TaskEvents,
  type TaskEventsOptions,
  type TaskHandle,
  taskIdOf,
  type TaskResult,
} from './tasks.ts';

export type { ClientOptions };

/**
 * A client of a daemon. A session is named by id, by a unique id prefix, or by name; '' is the latest, except for methods that
 * end or delete a session.
 */
export class Client extends RequestClient {
  /** The nodes of this machine: their health, and the sessions and events of all machines together. */
  readonly nodes: Nodes;
  readonly #options: ClientOptions;

  constructor(runtime: Runtime, options: ClientOptions = {}) {
    super(runtime, options);
    this.#options = options;
    this.nodes = new Nodes(this, runtime);
  }

  /** Returns a client of a node of this machine, by its name. It connects at its first use, and is closed like any other client. */
  node(name: string): Client {
    return new Client(roadsOf(this.runtime).at(name), this.#options);
  }

  /** Starts a session. Resolves when the child runs, rejects when it cannot be started. */
  async run(options: RunOptions): Promise<Session> {
    const info = await start(this.requester, this.runtime, runRequest(this.runtime, options));
    this.requester.remember(info.id);
    return new Session(this, info);
  }

  /** Watches every byte from `from` on, exactly once, then the end. See `Watch`. */
  watch(session: string, options?: WatchOptions): Watch {
    return new Watch(this.requester, session, options);
  }

  /**
   * Watches the events of an agent without a terminal: every event from `from` on, exactly once, then the end. See `AgentEvents`.
   * It is for agents that `agent` or `spool run --agent` started.
   */
  watchEvents(session: string, options?: RecordWatchOptions): AgentEvents {
    return new AgentEvents(this.requester, session, options);
  }

  /**
   * Watches the same log as `watchEvents`, with all its records: also the commands with their clients, and the messages to the
   * agent.
   */
  watchRecords(session: string, options?: RecordWatchOptions): RecordWatch {
    return new RecordWatch(this.requester, session, options);
  }

  /** Starts an agent without a terminal. See `AgentHandle`. */
  async agent(name: string, options: AgentOptions = {}): Promise<AgentHandle> {
    const id = options.id ?? this.runtime.randomId();
    const session = await this.run({ ...agentRun(name, options, () => this.runtime.randomId()), id });
    return new AgentHandle(this, session.info);
  }

  /** Returns the command that starts an ended session again; for an agent in a terminal, it continues the agent's own session. */
  async commandAgain(session: string): Promise<readonly string[]> {
    return await continuedCommand(this, await this.get(session));
  }

  /**
   * Resumes an agent that has ended, in a new session that continues the agent's own session. Fails while that session runs
   * elsewhere: two processes would write to it.
   */
  async resumeAgent(session: string, options: ResumeOptions = {}): Promise<AgentHandle> {
    const run = await resumedRun(this, await this.get(session), options);
    const id = options.id ?? this.runtime.randomId();
    try {
      return new AgentHandle(this, (await this.run({ ...run, id })).info);
    } catch (error) {
      if (!SpoolError.is(error, 'NAME_TAKEN') || options.name !== undefined) throw error;
      return new AgentHandle(this, (await this.run({ ...run, name: undefined, id })).info);
    }
  }

  /** Returns the handle of a session that was started before, by its id, the beginning of its id, or its name. */
  async session(reference: string): Promise<Session> {
    return new Session(this, await this.get(reference));
  }

  /** Returns the handle of an agent that was started before. */
  async openAgent(session: string): Promise<AgentHandle> {
    const info = await this.get(session);
    if (!info.driver) throw new SpoolError('NOT_AN_AGENT', { session: info.name });
    return new AgentHandle(this, info);
  }

  /** Watches a session as text: decoded, in chunks. See `TextWatch`. */
  watchText(session: string, options: TextWatchOptions = {}): TextWatch {
    return new TextWatch(this.watch(session, options), this.runtime, options);
  }

  /**
   * Calls back with each piece of text that the agent of this name prints, its time (milliseconds since 1970) and its name: of
   * the session that has the name now, and of every later one. `*` means every session. The agent need not exist yet. It
   * continues after a broken link and a restart of the daemon, until the returned function is called.
   */
  subscribeWorkerOutput(agent: string, callback: OutputCallback, options: SubscribeOptions = {}): () => void {
    return subscribeOutput(this, agent, callback, options);
  }

  /** Attaches: the screen, then every byte from there on, then the end; typed input arrives exactly once. See `Attachment`. */
  attach(session: string, options: AttachOptions = {}): Attachment {
    return new Attachment(this.requester, this.runtime, session, options);
  }

  /** Yields times, resizes, streams and gaps from an offset on, in order. */
  async *marks(session: string, options: { readonly from?: number | undefined } = {}): AsyncGenerator<LogMarkInfo> {
    const id = await this.requester.id(session);
    for (let from: number | null = options.from ?? 0; from !== null;) {
      const page: Requests['marks']['answer'] = await this.requester.again('marks', { session: id, from });
      yield* page.marks;
      if (page.next !== null && page.next <= from) throw new SpoolError('INTERNAL', { marks: from, next: page.next });
      from = page.next;
    }
  }

  /** Returns the last lines, or bytes, as a user saw them. */
  async tail(session: string, options: TailOptions): Promise<string> {
    return tail(this, session, options);
  }

  /**
   * Runs a shell command. Without `pty`: resolves with its result. With `pty`: resolves as soon as it runs, with a
   * handle that any process can await.
   */
  runShell(command: string, options: ShellOptions & { readonly pty: true }): Promise<TaskHandle>;
  runShell(command: string, options?: ShellOptions & { readonly pty?: false | undefined }): Promise<ShellResult>;
  async runShell(command: string, options: ShellOptions = {}): Promise<TaskHandle | ShellResult> {
    return options.pty === true ? startTask(this, command, options) : runAndWait(this, command, options);
  }

  /**
   * Resolves when the task has finished; the result of a failed task includes its last lines. With `until: ['blocked']` it also
   * resolves when the task asks a question: then its state is `running`, and `blocked` has the question.
   */
  async waitForCompletion(task: TaskHandle | string, options?: CompletionOptions): Promise<TaskResult> {
    return complete(this, task, options);
  }

  /** Ends the whole process tree of a task; resolves when none of its processes is left. */
  async cancelTask(task: TaskHandle | string): Promise<TaskResult> {
    const session = taskIdOf(task);
    const { id, name, isTask } = await this.get(session);
    if (!isTask) throw new SpoolError('NOT_A_TASK', { session: name });
    await this.stop(id);
    return complete(this, id);
  }

  /** Returns all tasks, or with `mine` those of this process, oldest first. */
  async tasks(options: { readonly mine?: boolean | undefined } = {}): Promise<readonly TaskInfo[]> {
    const tasks = (await this.list({ isTask: true })).map(taskOf);
    if (!options.mine) return tasks;
    const own = this.runtime.processIdentity?.() ?? null;
    return tasks.filter(({ startedBy }) => startedBy?.owners.some((owner) => isSameProcess(owner, own)));
  }

  /** Follows `task_started`, `task_log` and `task_finished`, as they happen. */
  taskEvents(options?: TaskEventsOptions): TaskEvents {
    return new TaskEvents(this, options);
  }

  events(options?: EventsOptions): Events {
    return new Events(this.link, options);
  }
}

function isSameProcess(one: ProcessIdentity, other: ProcessIdentity | null): boolean {
  if (other === null || one.pid !== other.pid || one.startTicks !== other.startTicks) return false;
  return one.bootId === other.bootId && one.pidNamespace === other.pidNamespace;
}
