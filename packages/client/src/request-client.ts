/**
 * Requests with one answer, over one connection that reconnects by itself. `Client` adds long-running operations: sessions,
 * streams, tasks and agents. A command that sends one request loads only this.
 *
 * Each method decides what a broken link means: requests that are safe to repeat are sent again, input and signals are not. Answers
 * are final; only a missing answer is retried.
 */
import type {
  DaemonStatus,
  Grid,
  LeftProcess,
  ListOptions,
  ProgramSource,
  Prompted,
  Requests,
  SessionInfo,
  Size,
  TileAsk,
  WaitUntil,
} from '@spool/protocol';
import type { TerminalModes } from '@spool/vt';
import type { Command } from '@spool/protocol/agent';
import { checkNamed } from './check.ts';
import { Doors } from './doors.ts';
import { Input } from './input.ts';
import { Link, type LinkOptions } from './link/link.ts';
import { Requester } from './link/requests.ts';
import { type Runtime, utf8 } from './link/runtime.ts';
import { type Listed, listSessions } from './list.ts';
import type {
  AnswerOptions,
  CommandReceipt,
  Explanation,
  PromptOptions,
  Screen,
  ScreenOptions,
  StopOptions,
  UntilOptions,
  UpdateOptions,
  WaitOptions,
} from './options.ts';
import { modesOf, pasteText, pressKeys } from './streams/typing.ts';
import { waitUntil, type WaitResult } from './wait.ts';

export type ClientOptions = LinkOptions;

/**
 * A session is named by id, by a unique id prefix, or by name; '' is the latest, except for methods that end or delete a session.
 */
export class RequestClient {
  protected readonly runtime: Runtime;
  protected readonly link: Link;
  protected readonly requester: Requester;
  readonly #input: Input;
  /** The gateway, and the tokens that open it. */
  readonly doors: Doors;

  constructor(runtime: Runtime, options: ClientOptions = {}) {
    this.runtime = runtime;
    this.link = new Link(runtime, options);
    this.requester = new Requester(this.link);
    this.#input = new Input(this.requester, runtime);
    this.doors = new Doors(this.requester);
  }

  /** Opens the connection now instead of at the first request, so that errors are reported at once. */
  async open(): Promise<void> {
    await this.link.connection();
  }

  /** Handles a change of the network or a sleep of this program: detects a dead connection in seconds, and dials at once. */
  wake(): void {
    this.link.wake();
  }

  /** The matching sessions (default: all, oldest first). */
  async list(options: ListOptions = {}): Promise<readonly SessionInfo[]> {
    return (await this.listCounted(options)).sessions;
  }

  /** Lists sessions as `list` does, and returns the total number of matches, whatever the limit. */
  async listCounted(options: ListOptions = {}): Promise<Listed> {
    return listSessions((ask) => this.requester.again('list', ask), options);
  }

  /** Returns the present info of a session (default: the latest one). */
  async get(session = ''): Promise<SessionInfo> {
    return this.requester.get(session);
  }

  /**
   * Sends a command to an agent without a terminal; `id` names it, and a repeated id is not a second command (default: a random
   * id). Resolves when it is in the events log; its outcome is an event.
   */
  async command(
    session: string,
    command: Command,
    options: { readonly id?: string | undefined } = {},
  ): Promise<CommandReceipt> {
    const { id = this.runtime.randomId() } = options;
    const ask = { session: await this.#id(session), id, command: { ...command } };
    return { id, ...(await this.requester.again('command', ask)) };
  }

  /** An id for a command or a session. */
  newId(): string {
    return this.runtime.randomId();
  }

  /** Resolves after this time, by the clock of the client's runtime. */
  sleep(ms: number): Promise<void> {
    return this.runtime.sleep(ms);
  }

  /** The screen as a user saw it, now or at any offset or time. */
  async screen(session = '', options: ScreenOptions = {}): Promise<Screen> {
    const { at, format = 'text', historyLines } = options;
    return this.requester.again('screen', { session, at, format, historyLines });
  }

  /**
   * Returns the present modes of the program's terminal: what keys, mouse and pastes send, and which screen is shown. Returns null
   * for a session without a terminal, and after its end.
   */
  async modes(session = ''): Promise<TerminalModes | null> {
    const info = await this.get(session);
    if (info.size === null || info.state !== 'running') return null;
    const { terminalModesOf } = await import('@spool/vt/terminal-modes');
    return terminalModesOf(await modesOf(this, info));
  }

  /** Returns, for miniatures, the screens of these sessions that have changed since they were last seen. At most 64 at once. */
  async grids(tiles: readonly TileAsk[]): Promise<readonly Grid[]> {
    return (await this.requester.again('grids', { tiles })).grids;
  }

  /** The offset that the session's log had reached at a time (milliseconds since 1970). */
  async offsetAt(session: string, time: number): Promise<number> {
    return (await this.requester.again('offsetAt', { session, time })).offset;
  }

  /** Fields that are absent do not change. */
  async update(session: string, options: UpdateOptions): Promise<SessionInfo> {
    const { name, labels, sizePolicy } = options;
    return this.requester.again('update', { session: await this.#id(session), name, labels, sizePolicy });
  }

  /** Resolves when all bytes are in the session's terminal. Do not change them before that. */
  async write(session: string, bytes: Uint8Array | string): Promise<void> {
    await this.#input.write(session, typeof bytes === 'string' ? utf8(bytes) : bytes);
  }

  /** Changes the size of a session's terminal. */
  async resize(session: string, size: Size): Promise<SessionInfo> {
    const { cols, rows, widthPx, heightPx } = size;
    return this.requester.again('resize', { session: await this.#id(session), cols, rows, widthPx, heightPx });
  }

  /** Resolves when the session has ended and none of its processes is left. */
  async stop(session: string, options: StopOptions = {}): Promise<SessionInfo> {
    const { graceMs, withServices } = options;
    const id = await this.#id(checkNamed(session));
    return this.requester.again('stop', { session: id, graceMs, ...(withServices && { withServices }) });
  }

  /** Ends a session and all its processes at once. */
  async kill(session: string): Promise<SessionInfo> {
    return this.requester.again('kill', { session: await this.#id(checkNamed(session)) });
  }

  /**
   * Sends one signal (`SIGINT`, …). Not repeated when the link breaks: CONNECTION_LOST then means that it may have been
   * sent.
   */
  async signal(session: string, name: string): Promise<SessionInfo> {
    return this.requester.once('signal', { session: checkNamed(session), signal: fullSignalName(name) });
  }

  /**
   * Ends the session's input after everything that was written before. A session without a terminal gets a closed pipe. On a
   * terminal, Spool types the end-of-file key whenever the program waits for a line; later input cancels this.
   */
  async closeInput(session: string): Promise<void> {
    const onRepeated = ({ code }: { code: string }): object | undefined => (code === 'INPUT_CLOSED' ? {} : undefined);
    await this.requester.again('closeInput', { session: await this.#id(session) }, { onRepeated });
  }

  /** Removes a session and its log. Resolves with its last info. */
  async remove(session: string, options: { readonly force?: boolean | undefined } = {}): Promise<SessionInfo> {
    const info = await this.get(checkNamed(session));
    return this.requester.again(
      'remove',
      { session: info.id, force: options.force },
      { onRepeated: ({ code }) => (code === 'SESSION_UNKNOWN' ? info : undefined) },
    );
  }

  /** Resolves when the session has ended, or at the timeout if that comes first: then its state is still `running`. */
  async wait(session: string, options: WaitOptions = {}): Promise<SessionInfo> {
    return (await this.waitUntil(session, 'exit', options)).session;
  }

  /**
   * Resolves when the first of `until` holds, and returns which one: `idle`, `blocked`, `prompt`, `output`, `exit` (which ends
   * every wait, because nothing comes after it), or `timeout`. The daemon notifies the client; there is no polling.
   */
  async waitUntil(
    session: string,
    until: WaitUntil | readonly WaitUntil[],
    options: UntilOptions = {},
  ): Promise<WaitResult> {
    return waitUntil(this.requester, this.runtime, session, { until, ...options });
  }

  /**
   * Types a prompt as a careful user would (paste, pause, Enter by itself), and reports whether the session reacted. Fails with
   * INPUT_BLOCKED when it waits for a decision (Enter would answer that), STATE_UNKNOWN when this cannot be determined in time,
   * INPUT_NOT_EMPTY when its input line already contains text, AGENT_NOT_READY when an agent that starts shows no empty input line
   * in time, and PROMPT_NOT_TEXT or PROMPT_HAS_LINES when it would press keys.
   */
  async prompt(session: string, text: string, options: PromptOptions = {}): Promise<Prompted> {
    const { key = this.runtime.randomId(), force, clear, confirmMs, readyMs } = options;
    const ask = { session: await this.#id(session), text, key, force, clear, confirmMs, readyMs };
    return this.requester.again('prompt', ask);
  }

  /**
   * Answers the question of a blocked session (`status.question`) with one of its options, by its label. The screen is read
   * before each key. Fails with QUESTION_CHANGED if the session asks something else by then, or nothing.
   */
  async answer(session: string, { question, option, confirmMs }: AnswerOptions): Promise<Requests['answer']['answer']> {
    const { text, subject } = question;
    const id = await this.#id(session);
    return this.requester.once('answer', { session: id, question: { text, subject }, option, confirmMs });
  }

  /**
   * Writes like `write`, but writes input with the same key only once, however often it is sent. Returns false if it had been
   * written before.
   */
  async writeOnce(session: string, key: string, bytes: Uint8Array | string): Promise<boolean> {
    const { encodeBase64 } = await import('./base64.ts');
    const base64 = encodeBase64(typeof bytes === 'string' ? utf8(bytes) : bytes);
    return !(await this.requester.again('type', { session: await this.#id(session), key, base64 })).isRepeated;
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
    return this.requester.again('explain', { session });
  }

  /** Returns the state of the daemon: its processes, sessions and limits. */
  status(): Promise<DaemonStatus> {
    return this.requester.again('status', {});
  }

  /**
   * Replaces one process of the daemon; sessions continue. If that is the keeper, the answer may be lost with the link. `program`:
   * the installation that the next keeper runs (default: the one that the daemon was started from).
   */
  async renew(part: 'holder' | 'keeper', program?: ProgramSource): Promise<void> {
    await this.requester.once('renew', { part, ...(program && { program }) });
  }

  /** Replaces the keeper by one of the program before the present one; `reason` is kept in the status of the daemon. */
  async goBack(reason: string): Promise<void> {
    await this.requester.once('renew', { part: 'keeper', back: reason });
  }

  /** Sends a notification to every channel of the daemon's configuration, and returns the result of each. */
  async testNotification(): Promise<Requests['testNotification']['answer']> {
    return this.requester.once('testNotification', {});
  }

  /**
   * Stops every session, then the daemon, and returns the processes that were left running because they serve others. Not repeated
   * when the link breaks: a repeated request would start a new daemon.
   */
  async shutdown(options: Pick<StopOptions, 'graceMs'> = {}): Promise<readonly LeftProcess[]> {
    return (await this.requester.once('shutdown', { graceMs: options.graceMs })).leftRunning ?? [];
  }

  /** The version of the daemon that has answered; '' before that. */
  get daemonVersion(): string {
    return this.link.daemonVersion;
  }

  /** Whether the daemon is on another machine, where paths and processes of this one are meaningless. */
  get isRemote(): boolean {
    return this.runtime.isRemote === true;
  }

  /** Ends all pending operations. Sessions continue. May be called twice. */
  close(): void {
    this.link.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  #id(session: string): Promise<string> {
    return this.requester.id(session);
  }
}

/** Opens the connection of a client, and returns the client. Closes a client that cannot be opened. */
export async function openOrClose<C extends RequestClient>(client: C): Promise<C> {
  try {
    await client.open();
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

/** `USR1`, `sigusr1` and `SIGUSR1` are the same signal, as for kill(1). */
function fullSignalName(name: string): string {
  const upper = name.toUpperCase();
  return upper.startsWith('SIG') ? upper : `SIG${upper}`;
}
