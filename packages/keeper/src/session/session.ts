/**
 * One session in the keeper. Data flows one way: child, log, watchers. This class connects the parts: `Child` (fds),
 * `SessionFile` (record, lifecycle, log), `SessionInput`, `SessionScreen`, `SharedView` (size, focus) and `SessionReports` (status,
 * events). Keeps RUN-3 (`exited`).
 */
import { constants } from 'node:os';
import { type Exit, type Lifecycle, type Log, readRecord, removeControlGroup, type SessionRecord } from '@spool/core';
import { native } from '@spool/native';
import { identify } from '@spool/native/process-identity';
import {
  type EndedBy,
  type HeldExit,
  type HeldSession,
  type ProcessIdentity,
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
import type { Viewers } from '../clients/viewers.ts';
import type { LogWatcher, Watcher } from '../clients/watcher.ts';
import { SessionAgent } from '../agents/session-agent.ts';
import { SessionInput } from '../input/session-input.ts';
import type { AnswerTo, Look, ScreenAsk } from '../screens/messages.ts';
import { Child } from './child.ts';
import { folderTrouble } from './folder-trouble.ts';
import type { SessionServices } from './services.ts';
import { recordOf, SessionFile } from './session-file.ts';
import { infoOf } from './session-info.ts';
import { SessionReports } from './session-reports.ts';
import { SessionScreen } from './session-screen.ts';
import { SharedView } from './shared-view.ts';
import type { Wanted } from './status.ts';

export class Session {
  readonly id: string;
  readonly watchers = new Set<LogWatcher>();
  readonly input: SessionInput;
  readonly view: SharedView;
  /** Of an agent without a terminal: its events log and its driver. */
  readonly agent: SessionAgent | null;
  readonly reports: SessionReports;
  readonly #screen: SessionScreen;
  readonly #file: SessionFile;
  readonly #services: SessionServices;
  readonly #onEnded = new Set<() => void>();
  #child: Child | null = null;

  private constructor(services: SessionServices, record: SessionRecord) {
    const { id } = record.run;
    this.id = id;
    this.#services = services;
    this.#file = new SessionFile(services, record);
    this.#screen = new SessionScreen(this.#file, services.screens);
    this.reports = new SessionReports(this, services, record.startedAt);
    const child = (): Child | null => this.#child;
    this.input = new SessionInput({
      folder: this.#file.folder,
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
    this.view = new SharedView({ id, services, file: this.#file, input, watchers, child });
    this.agent = record.run.agent ? this.#makeAgent(record) : null;
    if (record.end) this.reports.ended(this.lifecycle, this.#file.endOffset);
  }

  /** A child that the holder holds: just started, or adopted by a new keeper. */
  static adopt(services: SessionServices, held: HeldSession, fds: readonly number[]): Session {
    const known = readRecord(`${services.home.sessions}/${held.run.id}`);
    if (known?.end) {
      fds.forEach((fd) => native.close(fd));
      const ended = Session.recall(services, known);
      ended.#file.adoptEnd();
      return ended;
    }
    // An older holder or record does not identify the process; but its pidfd is here.
    const process = held.process ?? known?.process ?? identify(held.pid, fds.at(-1)!);
    const session = new Session(services, { ...(known ?? recordOf(held)), process });
    session.#file.adopt(Math.max(held.endAtLeast, session.input.journal.answeredTo), known !== null);
    if (known === null && held.kind === 'pty') session.#file.adoptSize(native.getSize(fds[0]!));
    session.reports.isOfAdopted = known !== null;
    // The output of an agent is a protocol, which its driver reads.
    if (session.agent === null) session.#screen.follow(known !== null, session.input.journal.answeredTo);
    session.#take(held, fds);
    const { agent, startedBy = 'a client' } = held.run;
    for (const command of agent?.commands ?? []) session.agent?.command(command, startedBy); // those that are in the log are not repeated
    if (known === null && held.run.echo === false) session.#child?.stopEcho();
    return session;
  }

  /** A session that is only on disk: ended, or lost with a whole daemon. */
  static recall(services: SessionServices, record: SessionRecord): Session {
    const session = new Session(services, record);
    if (record.end) {
      session.#file.trouble = folderTrouble(`${session.#file.folder}/log`);
      return session;
    }
    session.#file.lose(session.input.lastTyped);
    session.reports.ended(session.lifecycle, session.#file.endOffset);
    return session;
  }

  /** For the sweep. */
  get secondLog(): SessionAgent['events'] | null {
    return this.agent?.events ?? null;
  }

  get log(): Log {
    return this.#file.log;
  }

  get lifecycle(): Lifecycle {
    return this.#file.lifecycle;
  }

  get isCopy(): boolean {
    return this.#file.isCopy;
  }

  get pid(): number {
    return this.#file.record.pid;
  }

  /** The identity of its process; null when that is not known. */
  get process(): ProcessIdentity | null {
    return this.#file.record.process ?? null;
  }

  get controlGroup(): string | null {
    return this.#file.record.controlGroup;
  }

  /** The request that started it, without its environment. */
  get run(): RunRequest {
    return this.#file.record.run;
  }

  get name(): string {
    return this.#file.record.name;
  }

  get startedAt(): number {
    return this.#file.record.startedAt;
  }

  get endedAt(): number | null {
    return this.#file.endedAt;
  }

  get keptSince(): number | null {
    return this.#file.keptSince;
  }

  get isWatched(): boolean {
    return this.#watching > 0;
  }

  get #watching(): number {
    if (this.agent === null) return this.watchers.size;
    return [...this.watchers].filter(({ isClient }) => isClient).length;
  }

  get retainMs(): number {
    return this.#file.retainMs;
  }

  get state(): SessionState {
    return this.#file.state;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#file.record.run.labels ?? {};
  }

  get isTask(): boolean {
    return this.#file.record.run.isTask === true;
  }

  get isRunning(): boolean {
    return this.#file.isRunning;
  }

  get timeLeftMs(): number | null {
    return this.#file.timeLeftMs;
  }

  get viewers(): Viewers {
    return this.view.viewers;
  }

  get info(): SessionInfo {
    const { input, viewers, agent, reports } = this;
    return infoOf({ file: this.#file, status: reports.status, input, viewers, agent, watchers: this.#watching });
  }

  /** The status with all its evidence. */
  get status(): Status {
    return this.reports.status.current;
  }

  /** Why the screen cannot be known; null when it can. */
  get trouble(): string | null {
    return this.#file.trouble;
  }

  /** Calls back once the condition holds. Returns a function that cancels the wait. */
  wait(wanted: Wanted, callback: (waited: Waited) => void): () => void {
    const screen = this.info.size === null ? null : <Ask extends ScreenAsk>(what: Ask) => this.screen(what);
    const end = (reason: WaitUntil): void => callback({ reason, offset: this.info.offset, session: this.info });
    return this.reports.status.wait(wanted, this.info.offset, end, screen);
  }

  /** Resolves when the screen has been looked at again, or the session has ended. */
  nextLook(): Promise<void> {
    return this.reports.status.nextLook();
  }

  /** The status is true up to this offset. */
  get lookedTo(): number {
    return this.reports.status.lookedOffset;
  }

  #makeAgent(record: SessionRecord): SessionAgent {
    return new SessionAgent({
      record,
      folder: this.#file.folder,
      services: this.#services,
      onGrown: () => this.#pump(),
      onStatus: (status) => {
        const offset = this.#file.endOffset;
        this.reports.statusRead({ ...status, offset });
        this.reports.looked(offset);
      },
      onTool: () => this.#child?.hurry(),
      onDone: () => this.#file.change({ areEventsDone: true }),
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
    const { run } = this.#file.record;
    const { name = this.name, labels = run.labels, sizePolicy = this.#file.sizePolicy } = change;
    this.#file.change({ name, run: { ...run, labels, sizePolicy } });
    this.view.applySize();
  }

  screen<Ask extends ScreenAsk>(what: Ask): Promise<AnswerTo<Ask>> {
    return this.#screen.ask(what);
  }

  /** Looks at the screen; with `mustReach`, at everything that the child has written by now. */
  async look({ mustReach }: { mustReach: boolean }): Promise<Look> {
    this.#child?.takeOutput();
    return (await this.screen({ type: 'look', mustReach })).look;
  }

  /** True when the child has written nothing since `offset`, and input would arrive at once. */
  isSeenTo(offset: number): boolean {
    const child = this.#child;
    if (!child) return true;
    child.takeOutput();
    return this.log.end === offset && this.trouble === null && child.queuedBytes === 0;
  }

  /** Ends the child's input once all queued input is written. */
  async closeInput(): Promise<void> {
    const child = this.#running();
    if (child.isTerminal) await this.input.end(child);
    else if (await child.closeInput(this.name)) this.#services.closeChildInput(this.id);
  }

  askEnd(by: EndedBy, graceMs: number): void {
    this.#file.askEnd(by, graceMs);
  }

  recordAsked(): void {
    this.#file.recordAsked();
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

  /** The child is gone: stores the rest of its output, then the end, then announces it. */
  exited(held: HeldExit): void {
    const child = this.#child;
    if (!child) return;
    child.drain();
    if (held === 'unknown')
      this.#file.trouble = 'the exit code could not be learned: the process that was its parent died';
    const exit = exitOf(held);
    this.#file.exited(exit);
    child.close(this.name);
    this.#child = null;
    this.#file.persistEnd(this.input.lastTyped);
    this.input.close();
    if (this.controlGroup) removeControlGroup(this.controlGroup);
    const at = Date.now();
    const isViewed = this.viewers.all().length > 0; // the viewers leave with what is pumped now
    this.#services.screens.exited(this.id, this.log.end, at, exit.code, exit.signal);
    for (const watcher of this.watchers) watcher.pump();
    this.reports.ended(this.lifecycle, this.#file.endOffset);
    for (const callback of this.#onEnded) callback();
    this.#onEnded.clear();
    this.reports.tellEnd(at);
    if (!isViewed) this.#services.notifier.ended(this);
  }

  /** What a new holder must be given. */
  handOver(): { session: HeldSession; fds: readonly number[] } | null {
    return this.#child?.handOver ?? null;
  }

  remove(): void {
    this.#file.close();
    this.agent?.close();
    this.#services.screens.forget(this.id);
    for (const watcher of [...this.watchers]) watcher.removed();
    this.#services.housekeeper.forget(this);
    this.#file.remove();
  }

  bytesBeside(): Promise<number> {
    return this.#file.bytesBeside();
  }

  dropped(): void {
    this.#file.dropped();
  }

  durable(): Promise<void> {
    return this.#file.durable();
  }

  #take(held: HeldSession, fds: readonly number[]): void {
    this.#child = new Child({
      held,
      fds,
      log: this.log,
      watch: this.#services.watch,
      journal: this.input.journal,
      ticks: this.agent && this.#services.ticks,
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

  /** True when nobody waits for what the child writes next. */
  #grown(): boolean {
    this.#file.grown();
    for (const watcher of this.watchers) watcher.pump();
    this.#services.housekeeper.note(this);
    this.#services.endNotes.grown(this);
    const isSteady = this.#services.screens.grown(this.id, this.log.end, this.#child?.isCalm === true);
    this.reports.status.grown(this.log.end);
    return isSteady && this.watchers.size === 0;
  }

  #setTrouble(trouble: string | null, from: number, to: number): void {
    this.#file.trouble = trouble;
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
