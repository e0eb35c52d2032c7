/**
 * One session in the keeper: a child's fds while it runs, its log for good, and its watchers. Data flows one way:
 * child, log, watchers. Keeps RUN-3 (`exited`), SIZE-2 and SIZE-3 (`resize`).
 */
import { openSync, statSync } from 'node:fs';
import {
  bytesBesideLog,
  dropKeyframesBefore,
  firstOffsetIn,
  Log,
  LOG_DEFAULTS,
  type Lifecycle,
  readRecord,
  removeControlGroup,
  type LogOptions,
  type SessionRecord,
  step,
} from '@spool/core';
import { native, POLL, signalName } from '@spool/native';
import { ageMs, identify } from '@spool/native/process-identity';
import {
  type EndedBy,
  type HeldExit,
  type HeldSession,
  type Milestone,
  type ProcessIdentity,
  type Requests,
  type SessionInfo,
  type SessionState,
  type Size,
  type SizePolicy,
  SpoolError,
  type Status,
  taskStateOf,
  type Waited,
} from '@spool/protocol';
import type { OscEvent } from '@spool/vt';
import { COOKED_LINE_BYTES_MAX, CookedLine } from '../input/cooked-line.ts';
import { folderTrouble, troubleOf } from './folder-trouble.ts';
import { INPUT_QUEUE_BYTES_MAX, InputQueue, type OnWritten } from '../input/queue.ts';
import { InputJournal } from '../input/journal.ts';
import { IdempotencyKeys } from '../input/idempotency-keys.ts';
import { OutputPump, type Source } from '../logs/output-pump.ts';
import { PasteWatch } from '../input/paste-watch.ts';
import { RecordKeeper } from './record-keeper.ts';
import type { Look, ScreenAnswer, ScreenAsk, ScreenSource } from '../screens/messages.ts';
import type { SessionServices } from './services.ts';
import { SessionStatus, type Wanted } from './status.ts';
import { type Attached, isSameSize, Viewers } from '../clients/viewers.ts';
import type { LogWatcher, Watcher } from '../clients/watcher.ts';

/** The fds of a running child. */
interface Child {
  held: HeldSession;
  fds: readonly number[];
  readonly pump: OutputPump;
  readonly input: InputQueue;
}

/** What a viewer may change. */
type ViewChange = Omit<Requests['view']['ask'], 'channel'>;

/** A longer command is truncated: a prompt may be a book. */
const COMMAND_CHARACTERS_MAX = 16 * 1024;

const FOCUS_IN = Buffer.from('\x1b[I');
const FOCUS_OUT = Buffer.from('\x1b[O');

export class Session {
  readonly id: string;
  readonly watchers = new Set<LogWatcher>();
  readonly viewers = new Viewers();
  readonly journal: InputJournal;
  readonly #status: SessionStatus;
  readonly #keys: IdempotencyKeys;
  readonly #keysUnderWay = new Map<string, Promise<void>>();
  readonly #services: SessionServices;
  readonly #folder: string;
  readonly #records: RecordKeeper;
  readonly #onEnded = new Set<() => void>();
  #record: SessionRecord;
  #lifecycle: Lifecycle;
  #log: Log | null = null;
  #child: Child | null = null;
  #trouble: string | null = null;
  #typed: { who: string; at: number } | null = null;
  #lastOutputAt: number | null = null;
  #foundFirstOffset: number | null = null;
  #reportsFocus = false;
  #hadFocus = false;
  readonly #paste = new PasteWatch();
  readonly #cookedLine = new CookedLine();
  readonly #answers: { readonly bytes: Uint8Array; readonly upTo: number }[] = [];
  #answerTimer: NodeJS.Timeout | null = null;
  #isRemoved = false;
  /** It is older than this keeper. */
  #isAdopted = false;

  private constructor(services: SessionServices, record: SessionRecord, lifecycle: Lifecycle) {
    this.id = record.run.id;
    this.#services = services;
    this.#folder = `${services.home.sessions}/${this.id}`;
    this.#records = new RecordKeeper({ folder: this.#folder, turns: services.turns, warn: services.warn });
    this.journal = new InputJournal(this.#folder);
    this.#status = new SessionStatus(record.startedAt);
    this.#keys = new IdempotencyKeys(this.#folder);
    this.#record = record;
    this.#lifecycle = lifecycle;
    if (record.end) this.#recordEnd();
  }

  /** A child that the holder holds: just started, or adopted by a new keeper. */
  static adopt(services: SessionServices, held: HeldSession, fds: readonly number[]): Session {
    const known = readRecord(`${services.home.sessions}/${held.run.id}`);
    if (known?.end) {
      // The last keeper wrote the end, and died before the holder released the fds.
      fds.forEach((fd) => native.close(fd));
      const ended = Session.recall(services, known);
      ended.#records.adopt();
      void ended.#letGo();
      return ended;
    }
    // An older holder or record does not identify the process; but its pidfd is here.
    const process = held.process ?? known?.process ?? identify(held.pid, fds.at(-1)!);
    const record = { ...(known ?? recordOf(held)), process };
    const session = new Session(services, record, { phase: 'running', ending: record.ending });
    session.#log = Log.open(`${session.#folder}/log`, {
      lenient: true,
      endAtLeast: held.endAtLeast,
      ...session.#retention,
    });
    if (known) session.#records.adopt();
    else {
      session.#record = { ...record, ...inodeOf(session.#folder) };
      session.#writeRecord();
    }
    session.#follow(known !== null);
    session.#take(held, fds);
    return session;
  }

  /** A session that is only on disk: ended, or lost with a whole daemon. */
  static recall(services: SessionServices, record: SessionRecord): Session {
    const { end } = record;
    if (end) {
      const exit = { code: end.exitCode, signal: end.signal };
      const ended = { phase: 'ended', state: end.state, exit, endedAt: end.at, endedBy: end.by } as const;
      const session = new Session(services, record, ended);
      session.#trouble = folderTrouble(`${session.#folder}/log`);
      return session;
    }
    const session = new Session(services, record, { phase: 'running', ending: record.ending });
    const at = session.log.timeAt(session.log.end - 1) ?? record.startedAt;
    session.#lifecycle = step(session.#lifecycle, { type: 'lost', at });
    // A log that cannot be read now may be readable later: its end is then read again.
    if (folderTrouble(`${session.#folder}/log`) === null) session.#setEnd({ noticedAt: Date.now() });
    session.#recordEnd();
    session.#writeRecord();
    return session;
  }

  get log(): Log {
    const endAtLeast = this.#record.end?.offset ?? 0;
    this.#log ??= Log.open(`${this.#folder}/log`, { lenient: true, endAtLeast, ...this.#retention });
    this.#services.openLogs.touch(this.#log);
    return this.#log;
  }

  get lifecycle(): Lifecycle {
    return this.#lifecycle;
  }

  /** Its folder was copied from another state folder, whose daemon may still run the process that the record identifies. */
  get isCopy(): boolean {
    const { folderInode } = this.#record;
    return !this.isRunning && folderInode !== undefined && inodeOf(this.#folder).folderInode !== folderInode;
  }

  get pid(): number {
    return this.#record.pid;
  }

  /** The identity of its process; null when that is not known. */
  get process(): ProcessIdentity | null {
    return this.#record.process ?? null;
  }

  get controlGroup(): string | null {
    return this.#record.controlGroup;
  }

  get #shownCommand(): readonly string[] {
    const { command } = this.#record.run;
    let left = COMMAND_CHARACTERS_MAX;
    const end = command.findIndex((word) => (left -= word.length + 1) < 0);
    return end === -1 ? command : [...command.slice(0, end), `${command[end]!.slice(0, left + command[end]!.length)}…`];
  }

  get name(): string {
    return this.#record.name;
  }

  get startedAt(): number {
    return this.#record.startedAt;
  }

  get endedAt(): number | null {
    return this.#lifecycle.phase === 'ended' ? this.#lifecycle.endedAt : null;
  }

  /** The start of an ended session's retention; null while it runs. */
  get keptSince(): number | null {
    const { endedAt } = this;
    const { end } = this.#record;
    if (endedAt === null) return null;
    return end === null ? Infinity : Math.max(endedAt, end.noticedAt ?? 0); // an end that is not on disk is recent
  }

  get isWatched(): boolean {
    return this.watchers.size > 0;
  }

  get retainMs(): number {
    return this.#record.run.retainMs ?? LOG_DEFAULTS.retainMs;
  }

  get state(): SessionState {
    return this.#lifecycle.phase === 'ended' ? this.#lifecycle.state : 'running';
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#record.run.labels ?? {};
  }

  get isTask(): boolean {
    return this.#record.run.isTask === true;
  }

  get isRunning(): boolean {
    return this.#lifecycle.phase === 'running';
  }

  /** Until its timeout. Counted by the age of its child where that is known: a clock that was set forward must not end it. */
  get timeLeftMs(): number | null {
    const { run, startedAt } = this.#record;
    if (run.timeoutMs === undefined) return null;
    return run.timeoutMs - (ageMs(this.process) ?? Date.now() - startedAt);
  }

  get info(): SessionInfo {
    const { run, name, pid, startedAt, size, end } = this.#record;
    const lifecycle = this.#lifecycle;
    const ended = lifecycle.phase === 'ended' ? lifecycle : null;
    return {
      id: this.id,
      name,
      state: this.state,
      exitCode: ended?.exit.code ?? null,
      signal: ended?.exit.signal ?? null,
      pid,
      startedAt,
      endedAt: ended?.endedAt ?? null,
      // An ended session's log need not be opened to know its length.
      offset: end?.offset ?? this.log.end,
      firstOffset: this.#firstOffset,
      command: this.#shownCommand,
      cwd: run.cwd,
      size,
      labels: this.labels,
      watchers: this.watchers.size,
      sizePolicy: this.#policy,
      viewers: this.viewers.list,
      typed: this.#typed,
      endedBy: ended?.endedBy ?? null,
      trouble: this.#trouble ?? this.#logTrouble,
      status: this.#status.info,
      milestone: this.#status.milestone,
      title: this.#status.title,
      lastOutputAt: this.#lastOutput,
      isTask: this.isTask,
    };
  }

  /** The status with all its evidence. */
  get status(): Status {
    return this.#status.current;
  }

  /** Calls back once the condition holds. Returns a function that cancels the wait. */
  wait(wanted: Wanted, callback: (waited: Waited) => void): () => void {
    return this.#status.wait(wanted, this.info.offset, (reason) =>
      callback({ reason, offset: this.info.offset, session: this.info }),
    );
  }

  /** The screen thread reports a new status. */
  recordStatus(status: Status): void {
    if (!this.isRunning) return; // the end is final, and was reported
    const isFirst = this.#isAdopted && this.#status.current.state === 'starting';
    this.#status.current = status;
    if (isFirst) this.#services.notifier.restored(this);
    this.#services.emit({ type: 'session-status', at: Date.now(), id: this.id, status: this.#status.info });
    this.#services.notifier.statusChanged(this);
  }

  /** Resolves when the screen has been looked at again, or the session has ended. */
  nextLook(): Promise<void> {
    return this.#status.nextLook();
  }

  /** The status is true up to this offset. */
  get lookedTo(): number {
    return this.#status.lookedOffset;
  }

  recordLook(offset: number): void {
    if (this.isRunning) this.#status.lookedTo(offset);
  }

  recordMilestone(milestone: Milestone, at: number): void {
    this.#status.milestone = milestone;
    this.#services.emit({ type: 'milestone', at, id: this.id, ...milestone });
  }

  recordOscEvent({ start, end: offset, ...fact }: OscEvent, at: number): void {
    if (fact.type === 'title-changed') this.#status.title = fact.title;
    this.#services.emit({ type: 'session-osc', at, id: this.id, offset: offset || start, fact });
  }

  set reportsFocus(on: boolean) {
    this.#reportsFocus = on;
  }

  write(bytes: Uint8Array, who: string): Promise<void> {
    this.#recordTyped(who);
    return this.#pushTyped(bytes);
  }

  /** Typed, and not yet read by the child: a terminal may echo it all the same. */
  get unreadBytes(): number {
    const child = this.#child;
    return child?.held.kind === 'pty' ? native.available(child.fds[1]!) : 0;
  }

  /** Received from a client, and not yet in the terminal: only this process has it. */
  get queuedInputBytes(): number {
    return this.#child?.input.bytes ?? 0;
  }

  hasTyped(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Types bytes with an idempotency key: once. False when they had been typed before. */
  async writeOnce(key: string, bytes: Uint8Array, who: string): Promise<boolean> {
    if (this.#keys.has(key)) return false;
    const first = this.#keysUnderWay.get(key);
    if (first) return first.then(() => false);
    this.#recordTyped(who);
    // A keeper that died in the middle of it recorded how far it got.
    const stream = this.#keys.streamOf(key);
    const known = Math.min(this.journal.typedOf(stream), bytes.length);
    const typed = this.#pushTyped(bytes.subarray(known), (written) => {
      if (known + written === bytes.length) this.#keys.add(key);
      else this.journal.recordTyped(stream, known + written);
    }).finally(() => this.#keysUnderWay.delete(key));
    this.#keysUnderWay.set(key, typed);
    await typed;
    return true;
  }

  /** Answers a terminal query: once, and recorded as answered. Not in the middle of a paste. */
  answer(bytes: Uint8Array, upTo: number): void {
    const waitMs = this.#paste.openMs(Date.now());
    this.#answers.push({ bytes, upTo });
    if (waitMs === 0) this.#giveAnswers();
    else this.#answerTimer ??= setTimeout(() => this.#giveAnswers(), waitMs);
  }

  /** Input of a viewer, at an offset of its input stream: what has arrived before is not written again. */
  typed(viewer: Attached, stream: string, offset: number, bytes: Uint8Array): void {
    const { watcher } = viewer;
    const end = offset + bytes.length;
    const known = Math.max(this.journal.typedOf(stream), this.#typing.get(stream) ?? 0);
    const fresh = bytes.subarray(Math.max(0, known - offset));
    if (fresh.length === 0) return watcher.confirm(Math.min(end, this.journal.typedOf(stream)));
    this.#typing.set(stream, end);
    const note = (upTo: number): void => {
      this.journal.recordTyped(stream, upTo);
      if (upTo === end && this.#typing.get(stream) === end) this.#typing.delete(stream);
    };
    this.#pushTyped(fresh, (written) => {
      const upTo = end - fresh.length + written;
      note(upTo);
      if (upTo === end) watcher.confirm(end);
    }).catch((error: unknown) => {
      if (!SpoolError.is(error)) throw error;
      note(end);
      watcher.emit({ type: 'input-refused', offset: end, code: error.code });
    });
    this.#recordTyped(viewer.who);
    if (this.viewers.touch(viewer) && this.#policy === 'latest') this.applySize();
  }

  /** Sends the list of viewers to every viewer. */
  tellViewers(): void {
    const viewers = this.viewers.list;
    for (const { watcher } of this.viewers.all()) watcher.emit({ type: 'viewers', viewers });
  }

  viewerLeft(watcher: Watcher): void {
    if (!this.viewers.remove(watcher)) return;
    if (this.viewers.all().length === 0) this.journal.release();
    this.tellViewers();
    this.focusChanged();
    this.#services.notifier.viewerLeft(this);
    // The remaining viewers get their own size back; when no viewer is left, the size stays as it is.
    if (this.isRunning) this.applySize();
  }

  /** All viewers share one focus: the program is told only when it changes for all of them together. */
  focusChanged(): void {
    const { hasFocus } = this.viewers;
    if (hasFocus === this.#hadFocus) return;
    this.#hadFocus = hasFocus;
    if (this.#reportsFocus) void this.#push(hasFocus ? FOCUS_IN : FOCUS_OUT).catch(() => {}); // it has ended
  }

  /** Applies the size that the policy selects among the viewers. */
  applySize(by?: Watcher): void {
    const size = this.viewers.size(this.#policy);
    if (size && this.#child?.held.kind === 'pty') this.resize(size, by);
  }

  update(change: {
    name?: string | undefined;
    labels?: Readonly<Record<string, string>> | undefined;
    sizePolicy?: SizePolicy | undefined;
  }): void {
    const { name = this.#record.name, labels = this.#record.run.labels, sizePolicy = this.#policy } = change;
    this.#record = { ...this.#record, name, run: { ...this.#record.run, labels, sizePolicy } };
    this.#writeRecord();
    if (this.isRunning) this.applySize();
  }

  screen(what: ScreenAsk): Promise<ScreenAnswer> {
    const source = this.#screenSource();
    if (!source.firstSize && what.type !== 'explain' && what.type !== 'look')
      return Promise.reject(new SpoolError('NOT_A_TERMINAL', { session: this.name }));
    return this.#services.screens.ask(source, this.log.end, what);
  }

  /** Looks at the screen; with `mustReach`, at everything that the child has written by now. */
  async look({ mustReach }: { mustReach: boolean }): Promise<Look> {
    this.#child?.pump.take();
    const answer = await this.screen({ type: 'look', mustReach });
    if (answer.type !== 'look') throw new SpoolError('INTERNAL', { reason: 'another answer was expected' });
    return answer.look;
  }

  /** True when the child has written nothing since `offset`, and input would arrive at once. */
  isSeenTo(offset: number): boolean {
    const child = this.#child;
    if (!child) return true;
    child.pump.take();
    return this.log.end === offset && this.#trouble === null && child.input.bytes === 0;
  }

  /** Why the screen cannot be known; null when it can. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** A viewer's window, focus or colours. */
  viewChanged(viewer: Attached, { size, isFocused, colours, wantsSnapshot }: ViewChange): void {
    // A read-only viewer does not change the colours that the program sees while another viewer can type.
    if (colours && (!viewer.isReadOnly || !this.viewers.canType)) this.#services.screens.colours(this.id, colours);
    if (isFocused !== undefined) {
      viewer.isFocused = isFocused;
      this.focusChanged();
    }
    if (size !== undefined && !viewer.isReadOnly) {
      viewer.size = size;
      this.viewers.touch(viewer);
      this.applySize(viewer.watcher);
    }
    if (wantsSnapshot) void viewer.watcher.snapshot();
  }

  /** Closes the child's input once all queued input is written. */
  async closeInput(): Promise<void> {
    const child = this.#running();
    if (child.held.kind === 'pty') throw new SpoolError('INPUT_IS_TERMINAL', { session: this.name });
    if (child.held.isInputClosed) return;
    await child.input.push(new Uint8Array(0));
    if (this.#child !== child || child.held.isInputClosed) return;
    const [stdin, ...others] = child.fds;
    this.#services.watch.unwatch(stdin!);
    native.close(stdin!);
    child.input.close(new SpoolError('INPUT_CLOSED', { session: this.name }));
    child.fds = [openSync('/dev/null', 'w'), ...others];
    child.held = { ...child.held, isInputClosed: true };
    this.#services.closeChildInput(this.id);
  }

  /** `by` is the viewer that asked for it, and is not notified. */
  resize(size: Size, by?: Watcher): void {
    const child = this.#running();
    if (child.held.kind !== 'pty') throw new SpoolError('NOT_A_TERMINAL', { session: this.name });
    const before = this.#record.size;
    const pixels = { widthPx: size.widthPx ?? 0, heightPx: size.heightPx ?? 0 };
    if (before && before.cols === size.cols && before.rows === size.rows && (before.widthPx ?? 0) === pixels.widthPx)
      return;
    native.setSize(child.fds[0]!, { cols: size.cols, rows: size.rows, ...pixels });
    const at = Date.now();
    this.log.markResize(size.cols, size.rows, at);
    this.#record = { ...this.#record, size };
    this.#writeRecord();
    this.#services.screens.resized(this.id, this.log.end, size);
    const untold = by?.followsSize ? undefined : by;
    for (const watcher of this.watchers) if (watcher !== untold) watcher.resized(this.log.end, size.cols, size.rows);
    // On a terminal that had another size, lines are no longer where the session has them.
    for (const { watcher, size: own } of this.viewers.all())
      if (watcher !== by && isSameSize(own, size)) void watcher.snapshot();
    this.#services.emit({ type: 'session-resized', at, id: this.id, cols: size.cols, rows: size.rows });
  }

  /** A client wants the session to end. The terminator does the rest. */
  askEnd(by: EndedBy, graceMs: number): void {
    this.#lifecycle = step(this.#lifecycle, { type: 'end', by, at: Date.now(), graceMs });
    if (this.#lifecycle.phase === 'running') this.#record = { ...this.#record, ending: this.#lifecycle.ending };
    this.#writeRecord();
  }

  /** The first signal has been sent: the next keeper must not send it again. */
  recordAsked(): void {
    if (this.#lifecycle.phase !== 'running' || this.#lifecycle.ending === null || this.#lifecycle.ending.isAsked)
      return;
    this.#lifecycle = step(this.#lifecycle, { type: 'asked' });
    if (this.#lifecycle.phase === 'running') this.#record = { ...this.#record, ending: this.#lifecycle.ending };
    this.#writeRecord();
  }

  /**
   * Sends one signal to the child and to each other process of its group. The child leads that group for as long as it
   * lives.
   */
  signal(signal: number): void {
    const child = this.#running();
    native.pidfdSignalGroup(child.fds.at(-1)!, child.held.pid, signal);
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
    child.pump.drain();
    const exit =
      held === 'unknown'
        ? { code: null, signal: null }
        : held.signal === 0
          ? { code: held.code, signal: null }
          : { code: null, signal: signalName(held.signal) };
    if (held === 'unknown') this.#trouble = 'the exit code could not be learned: the process that was its parent died';
    this.#lifecycle = step(this.#lifecycle, { type: 'exit', exit, at: Date.now() });
    child.pump.stop();
    child.input.close(new SpoolError('SESSION_EXITED', { session: this.name }));
    for (const fd of child.fds) {
      this.#services.watch.unwatch(fd);
      native.close(fd);
    }
    this.#child = null;
    this.#persistEnd();
    this.journal.close();
    if (this.#answerTimer) clearTimeout(this.#answerTimer);
    this.#answers.length = 0;
    if (this.controlGroup) removeControlGroup(this.controlGroup);
    const at = Date.now();
    const isWatched = this.viewers.all().length > 0; // the viewers leave with what is pumped now
    this.#services.screens.exited(this.id, this.log.end, at, exit.code, exit.signal);
    for (const watcher of this.watchers) watcher.pump();
    this.#recordEnd();
    for (const callback of this.#onEnded) callback();
    this.#onEnded.clear();
    this.#tellEnd(at, isWatched);
  }

  /** What a new holder must be given. */
  handOver(): { session: HeldSession; fds: readonly number[] } | null {
    return this.#child && { session: this.#child.held, fds: this.#child.fds };
  }

  remove(): void {
    this.#isRemoved = true;
    this.#records.close();
    this.#services.screens.forget(this.id);
    for (const watcher of [...this.watchers]) watcher.removed();
    if (this.#log) {
      this.#services.openLogs.forget(this.#log);
      this.#services.flusher.forget(this.#log);
      this.#log.close();
    }
    this.#services.housekeeper.forget(this);
    this.#services.remover.take(this.#folder);
  }

  /** For the housekeeper: the size of its files besides the log. */
  bytesBeside(): Promise<number> {
    return bytesBesideLog(this.#folder);
  }

  /** The housekeeper has dropped the start of the log. */
  dropped(): void {
    if (this.#isRemoved) return;
    const { end } = this.#record;
    dropKeyframesBefore(this.#folder, this.log.start).catch((error: Error) =>
      this.#services.warn(`old keyframes of session ${this.id} could not be removed: ${error.message}`),
    );
    if (end === null) return;
    this.#record = { ...this.#record, end: { ...end, firstOffset: this.log.start } };
    this.#writeRecord();
  }

  #take(held: HeldSession, fds: readonly number[]): void {
    const { watch } = this.#services;
    const isPty = held.kind === 'pty';
    const sources: Source[] = isPty
      ? [{ fd: fds[0]!, stream: 'stdout', pipe: fds[2]! }]
      : [
          { fd: fds[1]!, stream: 'stdout', pipe: -1 },
          { fd: fds[2]!, stream: 'stderr', pipe: -1 },
        ];
    const inputFd = fds[0]!;
    const quiet = isPty ? POLL.readable : 0;
    const input = new InputQueue(inputFd, (wanted) => watch.change(inputFd, wanted ? quiet | POLL.writable : quiet));
    const pump = new OutputPump({
      log: this.log,
      sources,
      watch,
      onOutput: () => this.#grown(),
      onTrouble: (trouble, from, to) => this.#setTrouble(trouble, from, to),
      onReserve: (endAtLeast) => {
        if (this.#child) this.#child.held = { ...this.#child.held, endAtLeast };
        this.#services.note(this.id, endAtLeast);
      },
    });
    this.#child = { held, fds, pump, input };
    if (held.isInputClosed) input.close(new SpoolError('INPUT_CLOSED', { session: this.name }));
    else if (!isPty) watch.watch(inputFd, 0, () => input.flush());
    pump.start(() => input.flush());
    if (held.exit !== null) this.exited(held.exit);
  }

  /** Makes the status final and notifies the waits. */
  #recordEnd(): void {
    const lifecycle = this.#lifecycle;
    if (lifecycle.phase !== 'ended') return;
    const offset = this.#record.end?.offset ?? this.log.end;
    this.#status.exited(lifecycle.state, lifecycle.exit.code, lifecycle.exit.signal, lifecycle.endedAt, offset);
  }

  #tellEnd(at: number, isWatched: boolean): void {
    const session = this.info;
    this.#services.emit({ type: 'session-exited', at, session });
    if (session.isTask)
      this.#services.emit({
        type: 'task_finished',
        at,
        taskId: this.id,
        name: session.name,
        state: taskStateOf(session),
        exitCode: session.exitCode,
        durationMs: (session.endedAt ?? at) - session.startedAt,
      });
    if (!isWatched) this.#services.notifier.ended(this);
  }

  #recordTyped(who: string): void {
    const at = Date.now();
    this.#typed = { who, at };
    this.#services.screens.typed(this.id, at);
  }

  get #lastOutput(): number | null {
    if (this.#lastOutputAt !== null) return this.#lastOutputAt;
    // The log need not be opened for a session that is only on disk.
    if (!this.#log || this.#log.end === 0) return this.#record.end?.at ?? null;
    return (this.#lastOutputAt = this.#log.timeAt(this.#log.end - 1) ?? null);
  }

  #grown(): void {
    this.#lastOutputAt = Date.now();
    this.#services.flusher.note(this.log);
    this.#services.openLogs.touch(this.log);
    for (const watcher of this.watchers) watcher.pump();
    this.#services.housekeeper.note(this);
    this.#services.screens.grown(this.id, this.log.end);
    this.#status.grown(this.log.end);
  }

  readonly #typing = new Map<string, number>();

  /** An ended session's log need not be opened to know where it starts; for an older record, the folder tells. */
  get #firstOffset(): number {
    if (this.#log) return this.#log.start;
    return (this.#foundFirstOffset ??= this.#record.end?.firstOffset ?? firstOffsetIn(`${this.#folder}/log`));
  }

  get #retention(): Partial<LogOptions> {
    const { retainBytes, retainMs } = this.#record.run;
    return { ...(retainBytes !== undefined && { retainBytes }), ...(retainMs !== undefined && { retainMs }) };
  }

  get #logTrouble(): string | null {
    const failure = this.#log?.failure;
    return failure ? troubleOf(`${this.#folder}/log`, failure.code) : null;
  }

  get #policy(): SizePolicy {
    return this.#record.run.sizePolicy ?? 'latest';
  }

  #screenSource(isAdopted = false): ScreenSource {
    const { size, command } = this.#record.run;
    const { startedAt, pid } = this.#record;
    return { id: this.id, folder: this.#folder, firstSize: size ?? null, pid, command, startedAt, isAdopted };
  }

  /** Before the first byte is stored: the child may have ended by then. */
  #follow(isAdopted: boolean): void {
    this.#isAdopted = isAdopted;
    const { colours } = this.#record.run;
    this.#services.screens.follow(this.#screenSource(isAdopted), this.log.end, this.journal.answeredTo);
    if (colours) this.#services.screens.colours(this.id, colours);
  }

  #giveAnswers(): void {
    if (this.#answerTimer) clearTimeout(this.#answerTimer);
    this.#answerTimer = null;
    for (const { bytes, upTo } of this.#answers.splice(0)) {
      void this.#push(bytes).catch(() => {}); // it has ended, or does not read: then it does not wait for the answer
      this.journal.recordAnswered(upTo);
    }
  }

  /** For input of clients, not for answers of the daemon: it may be a piece of a paste. */
  #pushTyped(bytes: Uint8Array, onWritten?: OnWritten): Promise<void> {
    const tooLong = this.#lineTooLong(bytes);
    if (tooLong) return Promise.reject(tooLong);
    this.#paste.note(bytes, Date.now());
    const typed = this.#push(bytes, onWritten);
    if (this.#answers.length > 0 && this.#paste.openMs(Date.now()) === 0) this.#giveAnswers();
    return typed;
  }

  /** The kernel would cut the line silently. */
  #lineTooLong(bytes: Uint8Array): SpoolError | null {
    const child = this.#child;
    if (child?.held.kind !== 'pty') return null;
    if (!native.isCanonical(child.fds[0]!)) {
      this.#cookedLine.clear();
      return null;
    }
    const longest = this.#cookedLine.longestWith(bytes);
    if (longest > COOKED_LINE_BYTES_MAX) return new SpoolError('LINE_TOO_LONG', { session: this.name, bytes: longest });
    // Input that the queue refuses is not typed, and is sent again.
    if (child.input.bytes + bytes.length <= INPUT_QUEUE_BYTES_MAX) this.#cookedLine.take(bytes);
    return null;
  }

  #push(bytes: Uint8Array, onWritten?: OnWritten): Promise<void> {
    if (!this.#child) return Promise.reject(new SpoolError('SESSION_EXITED', { session: this.name }));
    return this.#child.input.push(bytes, onWritten);
  }

  #setTrouble(trouble: string | null, from: number, to: number): void {
    this.#trouble = trouble;
    const at = Date.now();
    if (trouble) this.#services.emit({ type: 'log-failed', at, id: this.id, offset: from, error: trouble });
    else this.#services.emit({ type: 'log-recovered', at, id: this.id, from, to });
  }

  #persistEnd(): void {
    if (this.#isRemoved || this.#lifecycle.phase !== 'ended') return;
    this.#setEnd();
    this.#writeRecord();
    void this.#letGo();
  }

  /** The holder releases the fds when the end is durable: the last bytes first, then the record that refers to them. */
  async #letGo(): Promise<void> {
    const { log } = this;
    const failure = log.isDirty ? await this.#services.turns.take(() => log.flush()) : undefined;
    if (failure) this.#services.flusher.note(log); // the flusher retries; the end itself is valid all the same
    await this.#records.durable();
    this.#services.release(this.id);
  }

  /** Resolves when everything known of the session would survive a power cut. */
  durable(): Promise<void> {
    return this.#records.durable();
  }

  #setEnd(more: { readonly noticedAt?: number } = {}): void {
    if (this.#lifecycle.phase !== 'ended') return;
    const { state, exit, endedAt, endedBy } = this.#lifecycle;
    const { end: offset, start: firstOffset } = this.log;
    this.#record = {
      ...this.#record,
      end: { state, exitCode: exit.code, signal: exit.signal, at: endedAt, by: endedBy, offset, firstOffset, ...more },
    };
  }

  #writeRecord(): void {
    this.#records.write(this.#record);
  }

  #running(): Child {
    if (!this.#child) throw new SpoolError('SESSION_EXITED', { session: this.name });
    return this.#child;
  }
}

/** The environment may contain secrets, and is no longer needed: it is not stored. */
function recordOf(held: HeldSession): SessionRecord {
  const { run } = held;
  return {
    run: { ...run, env: {} },
    name: run.name ?? run.command[0]!.split('/').at(-1)!.slice(0, 100),
    pid: held.pid,
    startedAt: held.startedAt,
    size: run.size ?? null,
    process: held.process ?? null,
    controlGroup: held.controlGroup,
    ending: null,
    end: null,
  };
}

/** Nothing where it cannot be read. */
function inodeOf(folder: string): { readonly folderInode?: number } {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found ? { folderInode: found.ino } : {};
}
