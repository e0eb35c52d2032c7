/**
 * One session in the keeper. Data flows one way: child, log, watchers. This class connects the parts: `Child` (fds),
 * `SessionFile` (record, lifecycle, log), `SessionInput`, `SessionScreen`, `SharedView` (size, focus) and `SessionReports` (status,
 * events). Keeps RUN-3 (`exited`).
 */
import { constants } from 'node:os';
import { type Exit, type Lifecycle, type Log, readRecord, removeControlGroup, type SessionRecord } from '@spool/store';
import { native } from '@spool/native';
import { identify } from '@spool/native/process-identity';
import {
  type HeldExit,
  type HeldSession,
  type LeftProcess,
  type RunRequest,
  type SessionInfo,
  type SessionState,
  signalNameIn,
  type SizePolicy,
  SpoolError,
  type Status,
  type Waited,
  type WaitUntil,
} from '@spool/protocol';
import type { Viewers } from '../viewers/viewers.ts';
import type { Watcher } from '../viewers/watcher.ts';
import { SessionAgent } from '../agents/session-agent.ts';
import { SessionInput } from '../input/session-input.ts';
import type { AnswerTo, ScreenReport, ScreenAsk } from '../screens/messages.ts';
import { Child } from '../children/child.ts';
import { channelDriver, settleSideChannel } from '../agents/side-channel/side-channel.ts';
import { keepEnvironment } from '../agents/kept-environment.ts';
import { folderTrouble } from './folder-trouble.ts';
import type { SessionServices } from './services.ts';
import { recordOf, SessionFile } from './session-file.ts';
import { infoOf } from './session-info.ts';
import { SessionReports } from './session-reports.ts';
import { SessionScreen } from './session-screen.ts';
import { SharedView } from '../viewers/shared-view.ts';
import type { WaitQuery } from './status.ts';

export class KeeperSession {
  readonly id: string;
  readonly watchers = new Set<Watcher>();
  readonly input: SessionInput;
  readonly view: SharedView;
  /** The events log and the driver of an agent: one without a terminal, or one with a side channel. Null for other sessions. */
  readonly agent: SessionAgent | null;
  /** The processes that were left running when the session was ended, because they serve other sessions. */
  leftRunning: readonly LeftProcess[] = [];
  readonly reports: SessionReports;
  readonly #screen: SessionScreen;
  readonly file: SessionFile;
  readonly #services: SessionServices;
  readonly #onEnded = new Set<() => void>();
  #child: Child | null = null;

  private constructor(services: SessionServices, record: SessionRecord) {
    const { id } = record.run;
    this.id = id;
    this.#services = services;
    this.file = new SessionFile(services, record);
    this.#screen = new SessionScreen(this.file, services.screens);
    this.reports = new SessionReports(this, services, record.startedAt);
    const child = (): Child | null => this.#child;
    this.input = new SessionInput({
      folder: this.file.folder,
      name: () => this.name,
      child,
      onTyped: (at, isEntered) => {
        this.#child?.hurry();
        services.screens.typed(id, at, isEntered);
      },
      onTypist: ({ at, who }) => {
        services.screens.typist(id, at, who);
        services.emit({ type: 'session-typed', at, id, who });
      },
    });
    const { input, watchers } = this;
    this.view = new SharedView({ id, services, file: this.file, input, watchers, child });
    const hasEvents = record.run.agent !== undefined || channelDriver(record.run.agentServer) !== null;
    this.agent = hasEvents ? this.#makeAgent(record) : null;
    if (record.end) this.reports.ended(this.lifecycle, this.file.endOffset);
  }

  /** Creates the session of a child that the holder holds: just started, or adopted by a new keeper. */
  static adopt(services: SessionServices, held: HeldSession, fds: readonly number[]): KeeperSession {
    const known = readRecord(`${services.home.sessions}/${held.run.id}`);
    if (known?.end) {
      fds.forEach((fd) => native.close(fd));
      const ended = KeeperSession.recall(services, known);
      ended.file.adoptEnd();
      return ended;
    }
    // An older holder or record does not identify the process, but this process has its pidfd.
    const process = held.process ?? known?.process ?? identify(held.pid, fds.at(-1)!);
    const session = new KeeperSession(services, { ...(known ?? recordOf(held)), process });
    session.file.adopt(Math.max(held.endAtLeast, session.input.journal.answeredTo), known !== null);
    if (known === null && held.kind === 'pty') session.file.adoptSize(native.getSize(fds[0]!));
    session.reports.isOfAdopted = known !== null;
    // The output of an agent without a terminal is a protocol, which its driver reads.
    if (!session.isHeadless) session.#screen.follow(known !== null, session.input.journal.answeredTo);
    session.#take(held, fds);
    const { agent, startedBy = 'a client' } = held.run;
    for (const command of agent?.commands ?? []) session.agent?.command(command, startedBy); // not repeated if the log already has it
    if (known === null && agent) keepForResume(session, held, services);
    if (known === null && held.run.echo === false) session.#child?.stopEcho();
    return session;
  }

  /** Creates a session that is only on disk: ended, or lost with a whole daemon. */
  static recall(services: SessionServices, record: SessionRecord): KeeperSession {
    const session = new KeeperSession(services, record);
    if (record.end) {
      session.file.trouble = folderTrouble(`${session.file.folder}/log`);
      return session;
    }
    session.#settleSideChannel();
    session.file.lose(session.input.lastTyped);
    session.reports.ended(session.lifecycle, session.file.endOffset);
    return session;
  }

  /** The events log, for the sweep. */
  get secondLog(): SessionAgent['events'] | null {
    return this.agent?.events ?? null;
  }

  get log(): Log {
    return this.file.log;
  }

  get lifecycle(): Lifecycle {
    return this.file.lifecycle;
  }

  /** The request that started it, without its environment. */
  get run(): RunRequest {
    return this.file.record.run;
  }

  get state(): SessionState {
    return this.file.state;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.run.labels ?? {};
  }

  get isTask(): boolean {
    return this.run.isTask === true;
  }

  get name(): string {
    return this.file.record.name;
  }

  /** Whether its output is the protocol of an agent, not a screen. */
  get isHeadless(): boolean {
    return this.run.agent !== undefined;
  }

  get isWatched(): boolean {
    return this.#watching > 0;
  }

  get #watching(): number {
    if (this.agent === null) return this.watchers.size;
    return [...this.watchers].filter(({ isClient }) => isClient).length;
  }

  get isRunning(): boolean {
    return this.file.isRunning;
  }

  get viewers(): Viewers {
    return this.view.viewers;
  }

  get info(): SessionInfo {
    const { input, viewers, agent, reports } = this;
    const info = infoOf({ file: this.file, status: reports.status, input, viewers, agent, watchers: this.#watching });
    return this.leftRunning.length === 0 ? info : { ...info, leftRunning: this.leftRunning };
  }

  /** The status with all its evidence. */
  get status(): Status {
    return this.reports.status.current;
  }

  /** Calls back once the condition is true. Returns a function that cancels the wait. */
  wait(wanted: WaitQuery, callback: (waited: Waited) => void): () => void {
    const screen = this.info.size === null ? null : <Ask extends ScreenAsk>(what: Ask) => this.screen(what);
    const end = (reason: WaitUntil): void => callback({ reason, offset: this.info.offset, session: this.info });
    return this.reports.status.wait(wanted, this.info.offset, end, screen);
  }

  /** Resolves at the next look at the screen, or when the session has ended. */
  nextLook(): Promise<void> {
    return this.reports.status.nextLook();
  }

  /** The offset up to which the status is true. */
  get lookedTo(): number {
    return this.reports.status.lookedOffset;
  }

  #makeAgent(record: SessionRecord): SessionAgent {
    return new SessionAgent({
      record,
      folder: this.file.folder,
      services: this.#services,
      onGrown: () => this.#pump(),
      onStatus: (status) => {
        if (record.run.agent === undefined) return this.reports.channelRead(status);
        const offset = this.file.endOffset;
        this.reports.statusRead({ ...status, offset });
        this.reports.looked(offset);
      },
      onTool: () => this.#child?.hurry(),
      onFirstPrompt: (prompt) => this.file.change({ prompt }),
      onDone: () => this.file.change({ areEventsDone: true }),
    });
  }

  #pump(): void {
    for (const watcher of this.watchers) watcher.pump();
  }

  viewerLeft(watcher: Watcher): void {
    if (!this.view.left(watcher)) return;
    if (this.viewers.all().length === 0) this.input.journal.release();
    this.#services.notifier.viewerLeft(this);
  }

  update(change: {
    name?: string | undefined;
    labels?: Readonly<Record<string, string>> | undefined;
    sizePolicy?: SizePolicy | undefined;
  }): void {
    const { run } = this.file.record;
    const { name = this.name, labels = run.labels, sizePolicy = this.file.sizePolicy } = change;
    this.file.change({ name, run: { ...run, labels, sizePolicy } });
    this.view.applySize();
  }

  /** Asks about the screen; the question is dropped when `left` is aborted. */
  screen<Ask extends ScreenAsk>(what: Ask, left?: AbortSignal): Promise<AnswerTo<Ask>> {
    return this.#screen.ask(what, left);
  }

  /** Looks at the screen; with `mustReach`, after all output of the child so far. */
  async look({ mustReach }: { mustReach: boolean }): Promise<ScreenReport> {
    this.#child?.takeOutput();
    return (await this.screen({ type: 'look', mustReach })).look;
  }

  /** Returns true if the child has written no output since `offset`, and input would arrive at once. */
  isSeenTo(offset: number): boolean {
    const child = this.#child;
    if (!child) return true;
    child.takeOutput();
    return this.log.end === offset && this.file.trouble === null && child.queuedBytes === 0;
  }

  /** Ends the child's input once all queued input is written. */
  async closeInput(): Promise<void> {
    const child = this.#running();
    if (child.isTerminal) await this.input.end(child);
    else if (await child.closeInput(this.name)) this.#services.closeChildInput(this.id);
  }

  signal(signal: number): void {
    this.#running().signal(signal);
    this.#services.screens.signalled(this.id);
  }

  /** Calls back once the session has ended and its last byte is stored. Returns a function that cancels this. */
  whenEnded(callback: () => void): () => void {
    if (this.isRunning) this.#onEnded.add(callback);
    else callback();
    return () => this.#onEnded.delete(callback);
  }

  /** Handles the end of the child: stores the rest of its output, then the end, then announces it. */
  exited(held: HeldExit): void {
    const child = this.#child;
    if (!child) return;
    child.drain();
    if (held === 'unknown')
      this.file.trouble = 'the exit code could not be learned: the process that was its parent died';
    const exit = exitOf(held);
    this.file.exited(exit);
    child.close(this.name);
    this.#child = null;
    this.#settleSideChannel();
    this.file.persistEnd(this.input.lastTyped);
    this.input.close();
    const { controlGroup } = this.file.record;
    if (controlGroup) removeControlGroup(controlGroup);
    const at = Date.now();
    const isViewed = this.viewers.all().length > 0; // the viewers leave when the rest has been stored
    this.#services.screens.exited(this.id, this.log.end, at, exit.code, exit.signal);
    for (const watcher of this.watchers) watcher.pump();
    this.reports.ended(this.lifecycle, this.file.endOffset);
    for (const callback of this.#onEnded) callback();
    this.#onEnded.clear();
    this.reports.tellEnd(at);
    if (!isViewed) this.#services.notifier.ended(this);
  }

  #settleSideChannel(): void {
    const agentServer = settleSideChannel(this.run);
    if (agentServer) this.file.change({ run: { ...this.run, agentServer } });
  }

  /** Returns the state and the fds that a new holder must get. */
  handOver(): { session: HeldSession; fds: readonly number[] } | null {
    return this.#child?.handOver ?? null;
  }

  remove(): void {
    this.file.close();
    this.agent?.close();
    this.#services.screens.forget(this.id);
    for (const watcher of [...this.watchers]) watcher.removed();
    this.#services.housekeeper.forget(this.file);
    this.file.remove();
  }

  #take(held: HeldSession, fds: readonly number[]): void {
    this.#child = new Child({
      held,
      fds,
      log: this.log,
      watch: this.#services.watch,
      journal: this.input.journal,
      ticks: this.isHeadless ? this.#services.ticks : null,
      live: () => this.#live(),
      onOutput: () => this.#grown(),
      onTrouble: (trouble, from, to) => this.#setTrouble(trouble, from, to),
      onReserve: (endAtLeast) => this.#services.note(this.id, endAtLeast),
    });
    this.#child.start(this.name);
    if (this.#child.isTerminal) this.input.resumeEnd(this.#child);
    if (held.exit !== null) this.exited(held.exit);
  }

  noteEnd(): void {
    this.#child?.noteEnd();
  }

  /** The viewer that was active last, which waits for the echo of its keys. The others get the output in turn. */
  #live(): Watcher | null {
    return this.viewers.all().at(-1)?.watcher ?? null;
  }

  /** Handles growth of the log; returns true if no client waits for the next output. */
  #grown(): boolean {
    this.file.grown();
    for (const watcher of this.watchers) watcher.pump();
    this.#services.housekeeper.note(this.file);
    this.#services.endNotes.grown(this);
    const isSteady = this.#services.screens.grown(this.id, this.log.end, this.#child?.isCalm === true);
    this.reports.status.grown(this.log.end);
    return isSteady && this.watchers.size === 0;
  }

  #setTrouble(trouble: string | null, from: number, to: number): void {
    this.file.trouble = trouble;
    this.reports.trouble(trouble, from, to);
  }

  #running(): Child {
    if (!this.#child) throw new SpoolError('SESSION_EXITED', { session: this.name });
    return this.#child;
  }
}

function exitOf(held: HeldExit): Exit {
  if (held === 'unknown') return { code: null, signal: null };
  return held.signal === 0
    ? { code: held.code, signal: null }
    : { code: null, signal: signalNameIn(constants.signals, held.signal) };
}

function keepForResume({ file, name }: KeeperSession, { run }: HeldSession, { warn }: SessionServices): void {
  try {
    keepEnvironment(file.folder, run);
  } catch (error) {
    warn(`the variables of ${name} are not kept for a resume: ${(error as Error).message}`);
  }
}
