/**
 * The client: all requests to a daemon, over one connection that reconnects by itself.
 *
 * Each method decides what a broken link means: requests that are safe to repeat are sent again (`run` chooses its own
 * id for that), input and signals are not. Answers are final; only a missing answer is retried.
 */
import type {
  Grid,
  TileAsk,
  DaemonStatus,
  ListOptions,
  LogMarkInfo,
  ProcessIdentity,
  Prompted,
  Requests,
  SessionInfo,
  Size,
  TaskInfo,
  WaitUntil,
} from '@spool/protocol';
import { SpoolError, taskOf } from '@spool/protocol';
import type { TerminalModes } from '@spool/vt';
import type { Command } from '@spool/protocol/agent';
import { AgentHandle } from './agents/agent-handle.ts';
import { type AgentOptions, agentRun } from './agents/launch.ts';
import { type ResumeOptions, resumedRun } from './agents/resume.ts';
import { checkNamed } from './check.ts';
import { Input } from './input.ts';
import { Link, type LinkOptions } from './link/link.ts';
import { Requester } from './link/requests.ts';
import { type Runtime, utf8 } from './link/runtime.ts';
import { type Listed, listSessions } from './list.ts';
import type {
  AnswerOptions,
  Commanded,
  Explanation,
  PromptOptions,
  RunOptions,
  Screen,
  ScreenOptions,
  StopOptions,
  UntilOptions,
  UpdateOptions,
  WaitOptions,
} from './options.ts';
import { runRequest, start } from './run.ts';
import { Session } from './session.ts';
import { AgentEvents } from './streams/agent-events.ts';
import { Attachment, type AttachOptions } from './streams/attachment.ts';
import { Doors } from './doors.ts';
import { Events, type EventsOptions } from './streams/events.ts';
import { type OutputCallback, type SubscribeOptions, subscribeOutput } from './streams/output-subscription.ts';
import { RecordWatch, type RecordWatchOptions } from './streams/record-watch.ts';
import { TextWatch, type TextWatchOptions } from './streams/text-watch.ts';
import { modesOf, pasteText, pressKeys } from './streams/typing.ts';
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
import { waitUntil, type WaitResult } from './wait.ts';

export type ClientOptions = LinkOptions;

/**
 * A session is named by id, by a unique id prefix, or by name; '' is the latest, except for what ends or deletes a
 * session.
 */
export class Client {
  readonly #runtime: Runtime;
  readonly #link: Link;
  readonly #requester: Requester;
  readonly #input: Input;
  /** The gateway, and the tokens that open it. */
  readonly doors: Doors;

  constructor(runtime: Runtime, options: ClientOptions = {}) {
    this.#runtime = runtime;
    this.#link = new Link(runtime, options);
    this.#requester = new Requester(this.#link);
    this.#input = new Input(this.#requester, runtime);
    this.doors = new Doors(this.#requester);
  }

  /** Opens the connection now instead of at the first request, so that errors show at once. */
  async open(): Promise<void> {
    await this.#link.connection();
  }

  /** The network may have changed, or this program has slept: notices a dead connection in seconds, and dials at once. */
  wake(): void {
    this.#link.wake();
  }

  /** Starts a session. Resolves when the child runs, rejects when it cannot be started. */
  async run(options: RunOptions): Promise<Session> {
    const info = await start(this.#requester, this.#runtime, runRequest(this.#runtime, options));
    this.#requester.remember(info.id);
    return new Session(this, info);
  }

  /** The matching sessions (default: all, oldest first). */
  async list(options: ListOptions = {}): Promise<readonly SessionInfo[]> {
    return (await this.listCounted(options)).sessions;
  }

  /** As `list`, with the total number of matches, whatever the limit. */
  async listCounted(options: ListOptions = {}): Promise<Listed> {
    return listSessions((ask) => this.#requester.again('list', ask), options);
  }

  async get(session = ''): Promise<SessionInfo> {
    return this.#requester.get(session);
  }

  /** Every byte from `from` on, exactly once, then the end. See `Watch`. */
  watch(session: string, options?: WatchOptions): Watch {
    return new Watch(this.#requester, session, options);
  }

  /**
   * What an agent without a terminal does: every event from `from` on, exactly once, then the end. See `AgentEvents`. For
   * agents that `agent` or `spool run --agent` started.
   */
  watchEvents(session: string, options?: RecordWatchOptions): AgentEvents {
    return new AgentEvents(this.#requester, session, options);
  }

  /** As `watchEvents`, with everything that is in the log: who gave which command, what was written to the agent. */
  watchRecords(session: string, options?: RecordWatchOptions): RecordWatch {
    return new RecordWatch(this.#requester, session, options);
  }

  /**
   * Gives an agent without a terminal a command; `id` names it, and the same id again is not a second command (default: a
   * random id). Resolves when it is in the events log; its outcome is an event.
   */
  async command(
    session: string,
    command: Command,
    options: { readonly id?: string | undefined } = {},
  ): Promise<Commanded> {
    const { id = this.#runtime.randomId() } = options;
    const ask = { session: await this.#id(session), id, command: { ...command } };
    return { id, ...(await this.#requester.again('command', ask)) };
  }

  /** Starts an agent without a terminal. See `AgentHandle`. */
  async agent(name: string, options: AgentOptions = {}): Promise<AgentHandle> {
    const id = options.id ?? this.#runtime.randomId();
    const session = await this.run({ ...agentRun(name, options, () => this.#runtime.randomId()), id });
    return new AgentHandle(this, session.info);
  }

  /**
   * Goes on with an agent that has ended, in a new session, by the agent's own session. Fails while that runs elsewhere:
   * two processes would write to it.
   */
  async resumeAgent(session: string, options: ResumeOptions = {}): Promise<AgentHandle> {
    const run = await resumedRun(this, await this.get(session), options);
    const id = options.id ?? this.#runtime.randomId();
    try {
      return new AgentHandle(this, (await this.run({ ...run, id })).info);
    } catch (error) {
      if (!SpoolError.is(error, 'NAME_TAKEN') || options.name !== undefined) throw error;
      return new AgentHandle(this, (await this.run({ ...run, name: undefined, id })).info);
    }
  }

  /** An id for a command or a session. */
  newId(): string {
    return this.#runtime.randomId();
  }

  /** An agent that was started before. */
  async openAgent(session: string): Promise<AgentHandle> {
    const info = await this.get(session);
    if (!info.driver) throw new SpoolError('NOT_AN_AGENT', { session: info.name });
    return new AgentHandle(this, info);
  }

  /** The same as text: decoded, in chunks. See `TextWatch`. */
  watchText(session: string, options: TextWatchOptions = {}): TextWatch {
    return new TextWatch(this.watch(session, options), this.#runtime, options);
  }

  /**
   * Calls back with each piece of text that the agent of this name prints, its time (milliseconds since 1970) and its
   * name: of the session that has the name now, and of every later one. `*` is every session. The agent need not exist
   * yet. It continues after a broken link and a restart of the daemon, until the returned function is called.
   */
  subscribeWorkerOutput(agent: string, callback: OutputCallback, options: SubscribeOptions = {}): () => void {
    return subscribeOutput(this, agent, callback, options);
  }

  /** The screen, then every byte from there on, then the end; typed input arrives exactly once. See `Attachment`. */
  attach(session: string, options: AttachOptions = {}): Attachment {
    return new Attachment(this.#requester, this.#runtime, session, options);
  }

  /** The screen as a user saw it, now or at any offset or time. */
  async screen(session = '', options: ScreenOptions = {}): Promise<Screen> {
    const { at, format = 'text', historyLines } = options;
    return this.#requester.again('screen', { session, at, format, historyLines });
  }

  /**
   * The modes that the program's terminal has now: what keys, mouse and pastes send, and which screen is shown. Null for a
   * session without a terminal, and after its end.
   */
  async modes(session = ''): Promise<TerminalModes | null> {
    const info = await this.get(session);
    if (info.size === null || info.state !== 'running') return null;
    const { terminalModesOf } = await import('@spool/vt');
    return terminalModesOf(await modesOf(this, info));
  }

  /** For miniatures: of these sessions, the screens that have changed since they were last seen. At most 64 at once. */
  async grids(tiles: readonly TileAsk[]): Promise<readonly Grid[]> {
    return (await this.#requester.again('grids', { tiles })).grids;
  }

  /** Times, resizes, streams and gaps from an offset on, in order. */
  async *marks(session: string, options: { readonly from?: number | undefined } = {}): AsyncGenerator<LogMarkInfo> {
    const id = await this.#id(session);
    for (let from: number | null = options.from ?? 0; from !== null;) {
      const page: Requests['marks']['answer'] = await this.#requester.again('marks', { session: id, from });
      yield* page.marks;
      if (page.next !== null && page.next <= from) throw new SpoolError('INTERNAL', { marks: from, next: page.next });
      from = page.next;
    }
  }

  /** The offset that the session's log had reached at a time (milliseconds since 1970). */
  async offsetAt(session: string, time: number): Promise<number> {
    return (await this.#requester.again('offsetAt', { session, time })).offset;
  }

  /** Fields that are not given stay as they are. */
  async update(session: string, options: UpdateOptions): Promise<SessionInfo> {
    const { name, labels, sizePolicy } = options;
    return this.#requester.again('update', { session: await this.#id(session), name, labels, sizePolicy });
  }

  /** Resolves when all bytes are in the session's terminal. Do not change them before. */
  async write(session: string, bytes: Uint8Array | string): Promise<void> {
    await this.#input.write(session, typeof bytes === 'string' ? utf8(bytes) : bytes);
  }

  async resize(session: string, size: Size): Promise<SessionInfo> {
    const { cols, rows, widthPx, heightPx } = size;
    return this.#requester.again('resize', { session: await this.#id(session), cols, rows, widthPx, heightPx });
  }

  /** Resolves when the session has ended and none of its processes is left. */
  async stop(session: string, options: StopOptions = {}): Promise<SessionInfo> {
    return this.#requester.again('stop', { session: await this.#id(checkNamed(session)), graceMs: options.graceMs });
  }

  async kill(session: string): Promise<SessionInfo> {
    return this.#requester.again('kill', { session: await this.#id(checkNamed(session)) });
  }

  /**
   * Sends one signal (`SIGINT`, …). Not repeated when the link breaks: CONNECTION_LOST then means that it may have been
   * sent.
   */
  async signal(session: string, name: string): Promise<SessionInfo> {
    return this.#requester.once('signal', { session: checkNamed(session), signal: fullSignalName(name) });
  }

  /**
   * Ends the session's input after everything written before. A session without a terminal gets a closed pipe. On a
   * terminal, Spool types the end-of-file key whenever the program waits for a line; more input takes that back.
   */
  async closeInput(session: string): Promise<void> {
    const onRepeated = ({ code }: { code: string }): object | undefined => (code === 'INPUT_CLOSED' ? {} : undefined);
    await this.#requester.again('closeInput', { session: await this.#id(session) }, { onRepeated });
  }

  /** Removes a session and its log. Resolves with its last info. */
  async remove(session: string, options: { readonly force?: boolean | undefined } = {}): Promise<SessionInfo> {
    const info = await this.get(checkNamed(session));
    return this.#requester.again(
      'remove',
      { session: info.id, force: options.force },
      { onRepeated: ({ code }) => (code === 'SESSION_UNKNOWN' ? info : undefined) },
    );
  }

  /** Resolves when the session has ended, or, if that comes first, at the timeout: then its state is still `running`. */
  async wait(session: string, options: WaitOptions = {}): Promise<SessionInfo> {
    return (await this.waitUntil(session, 'exit', options)).session;
  }

  /**
   * Resolves when the first of `until` holds, and reports which: `idle`, `blocked`, `prompt`, `output`, `exit` (which
   * always ends a wait: nothing comes after it), or `timeout`. The daemon notifies the client; there is no polling.
   */
  async waitUntil(
    session: string,
    until: WaitUntil | readonly WaitUntil[],
    options: UntilOptions = {},
  ): Promise<WaitResult> {
    return waitUntil(this.#requester, this.#runtime, session, { until, ...options });
  }

  /**
   * Types a prompt as a careful user would (paste, pause, Enter by itself), and reports whether the session reacted.
   * INPUT_BLOCKED when it waits for a decision (Enter would answer that), STATE_UNKNOWN when this cannot be determined
   * in time, INPUT_NOT_EMPTY when its input line already contains text.
   */
  async prompt(session: string, text: string, options: PromptOptions = {}): Promise<Prompted> {
    const { key = this.#runtime.randomId(), force, clear, confirmMs } = options;
    return this.#requester.again('prompt', { session: await this.#id(session), text, key, force, clear, confirmMs });
  }

  /**
   * Answers the question of a blocked session (`status.question`) with one of its options, by its label. Every key is pressed
   * only after a look at the screen; QUESTION_CHANGED when the session asks something else by then, or nothing.
   */
  async answer(session: string, { question, option, confirmMs }: AnswerOptions): Promise<Requests['answer']['answer']> {
    const { text, subject } = question;
    const id = await this.#id(session);
    return this.#requester.once('answer', { session: id, question: { text, subject }, option, confirmMs });
  }

  /**
   * As `write`, but input with the same key is written once, however often it is sent. False when it had been written
   * before.
   */
  async writeOnce(session: string, key: string, bytes: Uint8Array | string): Promise<boolean> {
    const { encodeBase64 } = await import('./base64.ts');
    const base64 = encodeBase64(typeof bytes === 'string' ? utf8(bytes) : bytes);
    return !(await this.#requester.again('type', { session: await this.#id(session), key, base64 })).isRepeated;
  }

  /** Named keys, one after the other: `['C-c', 'Enter', 'M-x', 'F5']`, or `['C-c Enter M-x F5']`. */
  async keys(session: string, words: readonly string[]): Promise<void> {
    return pressKeys(this, session, words);
  }

  /** Text as a paste: bracketed if the program has enabled that, so that newlines submit nothing. */
  async paste(session: string, text: string): Promise<void> {
    return pasteText(this, session, text);
  }

  /** The status with all its evidence, and its history. */
  async explain(session = ''): Promise<Explanation> {
    return this.#requester.again('explain', { session });
  }

  /** The last lines, or bytes, as a user saw them. */
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
   * Resolves when the task has finished; the result of a failed task includes its last lines. With `until: ['blocked']`
   * also when it asks something: then its state is `running`, and `blocked` has the question.
   */
  async waitForCompletion(task: TaskHandle | string, options?: CompletionOptions): Promise<TaskResult> {
    return complete(this, task, options);
  }

  /** Ends the whole process tree of a task; resolves when nothing of it is left. */
  async cancelTask(task: TaskHandle | string): Promise<TaskResult> {
    const session = taskIdOf(task);
    const { id, name, isTask } = await this.get(session);
    if (!isTask) throw new SpoolError('NOT_A_TASK', { session: name });
    await this.stop(id);
    return complete(this, id);
  }

  /** All tasks, or with `mine` those of this process, oldest first. */
  async tasks(options: { readonly mine?: boolean | undefined } = {}): Promise<readonly TaskInfo[]> {
    const tasks = (await this.list({ isTask: true })).map(taskOf);
    if (!options.mine) return tasks;
    const own = this.#runtime.processIdentity?.() ?? null;
    return tasks.filter(({ startedBy }) => startedBy?.owners.some((owner) => isSameProcess(owner, own)));
  }

  /** `task_started`, `task_log`, `task_finished`, as they happen. */
  taskEvents(options?: TaskEventsOptions): TaskEvents {
    return new TaskEvents(this, options);
  }

  events(options?: EventsOptions): Events {
    return new Events(this.#link, options);
  }

  status(): Promise<DaemonStatus> {
    return this.#requester.again('status', {});
  }

  /** Replaces one process of the daemon; sessions continue. When it is the keeper, the answer may be lost with the link. */
  async renew(part: 'holder' | 'keeper'): Promise<void> {
    await this.#requester.once('renew', { part });
  }

  /** Sends a notification to every channel of the daemon's configuration, and reports what became of each. */
  async testNotification(): Promise<Requests['testNotification']['answer']> {
    return this.#requester.once('testNotification', {});
  }

  /** Stops every session, then the daemon. Not repeated when the link breaks: a repeated request would start a new daemon. */
  async shutdown(options: StopOptions = {}): Promise<void> {
    await this.#requester.once('shutdown', { graceMs: options.graceMs });
  }

  /** Whether the daemon is on another machine, where paths and processes of this one mean nothing. */
  get isRemote(): boolean {
    return this.#runtime.isRemote === true;
  }

  /** Ends all pending operations. Sessions continue. May be called twice. */
  close(): void {
    this.#link.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  #id(session: string): Promise<string> {
    return this.#requester.id(session);
  }
}

function isSameProcess(one: ProcessIdentity, other: ProcessIdentity | null): boolean {
  if (other === null || one.pid !== other.pid || one.startTicks !== other.startTicks) return false;
  return one.bootId === other.bootId && one.pidNamespace === other.pidNamespace;
}

/** `USR1`, `sigusr1` and `SIGUSR1` are one signal, as for kill(1). */
function fullSignalName(name: string): string {
  const upper = name.toUpperCase();
  return upper.startsWith('SIG') ? upper : `SIG${upper}`;
}
