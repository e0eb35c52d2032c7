/**
 * The keeper: moves bytes from children to logs to watchers, and serves clients. It may be killed at any moment; its
 * successor gets the children from the holder and everything else from disk. Keeps LIFE-3 (`renewHolder`, `stepDown`).
 */
import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import { COOKIE, DAEMON_MARK, listRecords, ProcessSweep, readRecord, signalMember } from '@spool/core';
import { native, POLL } from '@spool/native';
import { FdWatch } from '@spool/native/fd-watch';
import { openFiles } from '@spool/native/open-files';
import {
  type DaemonEvent,
  type DaemonStatus,
  type FromHolder,
  type HeldSession,
  PROTOCOL_VERSION,
  type RunRequest,
  SpoolError,
  VERSION,
} from '@spool/protocol';
import { Connection, type ConnectionHandlers } from './clients/connection.ts';
import { DiskTurns } from './logs/disk-turns.ts';
import { Terminator } from './session/terminator.ts';
import { FileBudget } from './clients/file-budget.ts';
import { Flusher } from './logs/flusher.ts';
import { HolderLink } from './holder-link.ts';
import { Housekeeper } from './logs/housekeeper.ts';
import { Notifier } from './notifier.ts';
import { OpenLogs } from './logs/open-logs.ts';
import { syncHome } from './logs/sync-home.ts';
import { devNull } from './logs/output-pump.ts';
import { Prompter } from './session/prompter.ts';
import { Recall } from './session/recall.ts';
import { Registry } from './session/registry.ts';
import { Remover } from './session/remover.ts';
import { GRACE_MS_DEFAULT, handleRequest } from './clients/requests.ts';
import { Screens } from './screens/screens.ts';
import { ClockCheck } from './logs/clock-check.ts';
import { readKeepEnded } from './logs/keep-config.ts';
import { Session } from './session/session.ts';
import { Sweeper } from './logs/sweeper.ts';
import type { SessionServices } from './session/services.ts';

/** The daemon's log is the standard error that the holder passed on. */
const LOG_FD = 2;

/** Without free fds, the next try to accept a connection comes after this time. */
const ACCEPT_AGAIN_MS = 100;
const OUT_OF_FDS: ReadonlySet<number> = new Set([constants.errno.EMFILE, constants.errno.ENFILE]);

/** Refused clients at once; the others wait in the socket's queue. */
const REFUSED_MAX = 8;

/** A restart waits at most this long for input that is being typed. */
const TYPED_MS_MAX = 2000;
const TYPED_LOOK_MS = 10;

/** The process tree of an ended session is long gone by then. */
const TREE_MS_MAX = 60_000;

/** A daemon that is stopping waits at most this long for a slow or full disk. */
const DURABLE_MS_MAX = 2000;

/** The delay before searching again for children that a dead holder may have left. */
const ASK_AGAIN_MS = 100;

/** The longest that a timer can wait. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

interface PendingRun {
  readonly run: RunRequest;
  readonly started: PromiseWithResolvers<Session>;
  /** Which holder has been asked for it, counted from the first; null: none yet. */
  askedHolder: number | null;
}

export class Keeper {
  readonly registry = new Registry();
  readonly terminator = new Terminator(() => this.#ownPids());
  readonly prompter = new Prompter();
  readonly #watch = new FdWatch();
  readonly #holder: HolderLink;
  readonly #connections = new Set<Connection>();
  readonly #refused = new Set<Connection>();
  readonly #files = new FileBudget(openFiles);
  readonly #pending = new Map<string, PendingRun>();
  readonly #held: { session: HeldSession; fds: readonly number[] }[] = [];
  #services: SessionServices | null = null;
  #recall: Recall | null = null;
  #sweeper: Sweeper | null = null;
  /** Session folders without a record. */
  readonly #orphans = new Set<string>();
  #isEnding = false;
  #isRenewing = false;

  constructor(linkFd: number) {
    devNull();
    this.#holder = new HolderLink(linkFd, {
      watch: this.#watch,
      logFd: LOG_FD,
      onMessage: (message, fds) => this.#handle(message, fds),
      onReplaced: () => void this.#askAgain(),
      handOver: () => this.#handOver(),
      warn,
    });
  }

  /** Starts a child; rejects with the error of the operating system. */
  start(run: RunRequest): Promise<Session> {
    if (this.#isEnding) throw new SpoolError('DAEMON_STOPPING');
    const again = this.#pending.get(run.id);
    if (again) return again.started.promise;
    if (!this.#files.mayRun(this.#pending.size, this.#connections.size))
      throw new SpoolError('TOO_MANY_FILES', { limit: openFiles().limit });
    const { home, sockets = [home.socket] } = this.#holder.daemon;
    const { [DAEMON_MARK]: _mark, ...asked } = run.env;
    const env = {
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      ...asked,
      [COOKIE]: run.id,
      // The last socket is in the state folder: it outlives the login that started the daemon.
      SPOOL_SOCKET: sockets.at(-1)!,
    };
    const pending: PendingRun = { run: { ...run, env }, started: Promise.withResolvers(), askedHolder: null };
    this.#pending.set(run.id, pending);
    if (run.size === undefined) this.#ask(pending);
    else void this.#services!.screens.ready.then(() => this.#ask(pending));
    return pending.started.promise;
  }

  #ask(pending: PendingRun): void {
    if (this.#isRenewing) return; // asked once the next holder is there
    pending.askedHolder = this.#holder.count;
    this.#holder.send({ type: 'spawn', run: pending.run });
  }

  /** By a session other than `id`. */
  isNameTaken(name: string, id: string): boolean {
    for (const { run } of this.#pending.values()) if (run.name === name && run.id !== id) return true;
    return this.registry.isNameTaken(name);
  }

  remove(session: Session): void {
    if (this.registry.get(session.id) !== session) return; // another request removed it first
    this.registry.delete(session.id);
    try {
      session.remove();
    } catch (error) {
      warn(`the folder of session ${session.id} could not be removed completely: ${(error as Error).message}`);
    }
    this.#emit({ type: 'session-removed', at: Date.now(), id: session.id });
  }

  /** Resolves once both processes hold every fd, so the answer is still true if the caller then kills one of them. */
  async status(): Promise<DaemonStatus> {
    await this.#holder.settled();
    await this.#recall?.listed;
    const { home, startedAt, hasEscrow, canReadForeignExit } = this.#holder.daemon;
    let running = 0;
    for (const session of this.registry.all()) if (session.isRunning) running++;
    return {
      version: VERSION,
      protocol: PROTOCOL_VERSION,
      home: home.state,
      socket: home.socket,
      startedAt,
      sessions: { running, ended: this.registry.size - running + (this.#recall?.left ?? 0) },
      escrow: hasEscrow,
      exitCodesSurvive: canReadForeignExit,
      openFiles: this.#files.status(this.#connections.size),
      holder: { pid: this.#holder.holderPid },
      keeper: { pid: process.pid, rssBytes: process.memoryUsage.rss() },
    };
  }

  /** Replaces the holder by one that runs the code now on disk; sessions continue. */
  async renewHolder(): Promise<void> {
    if (!this.#holder.daemon.hasEscrow) throw new SpoolError('NOT_ALLOWED', { reason: 'there is no escrow here' });
    this.#isRenewing = true; // the next holder would not know a child that is started now
    try {
      await this.#asked();
      await this.#holder.renew();
    } finally {
      this.#isRenewing = false;
      for (const pending of this.#pending.values()) if (pending.askedHolder === null) this.#ask(pending);
    }
  }

  /** Resolves when the holder has answered everything it was asked. */
  async #asked(): Promise<void> {
    const asked = [...this.#pending.values()].filter(({ askedHolder }) => askedHolder !== null);
    await Promise.allSettled(asked.map(({ started }) => started.promise));
  }

  /**
   * Exits, so that the holder starts another keeper with the code now on disk; sessions continue. Queued input exists
   * only in this process, so it waits for that, but not for a child that does not read.
   */
  async stepDown(): Promise<void> {
    if (!this.#holder.daemon.hasEscrow) throw new SpoolError('NOT_ALLOWED', { reason: 'there is no escrow here' });
    await this.#asked();
    await this.#holder.settled();
    const until = performance.now() + TYPED_MS_MAX;
    const leave = (): void => {
      const isTyping = [...this.registry.all()].some(({ input }) => input.queuedBytes > 0);
      if (isTyping && performance.now() < until) return void setTimeout(leave, TYPED_LOOK_MS);
      warn('exiting on request; the next keeper takes over');
      process.exit(0);
    };
    setImmediate(leave); // send the answer first
  }

  /** Ends every session, then the daemon. */
  async endAll(graceMs: number): Promise<void> {
    this.#isEnding = true;
    const running = [...this.registry.all()].filter(({ isRunning }) => isRunning);
    await Promise.all(running.map((session) => this.terminator.end(session, 'stop', graceMs)));
    // Their ends must survive a power cut too, if the disk accepts them.
    const durable = Promise.all(running.map((session) => session.durable()));
    await Promise.race([durable, new Promise((resolve) => setTimeout(resolve, DURABLE_MS_MAX))]);
    await this.terminator.finish(graceMs); // sessions whose child has ended, but not all of its process tree
    await this.#holder.settled();
    // The answer goes first; then the holder removes the socket and exits, and the keeper exits with its link.
    setImmediate(() => {
      // So that no client takes the broken link for an accident and starts the daemon again.
      for (const connection of this.#connections) connection.fail(0, new SpoolError('DAEMON_STOPPING'));
      this.#holder.expectEnd();
      this.#holder.send({ type: 'shutdown' });
    });
  }

  #handle(message: FromHolder, fds: readonly number[]): void {
    switch (message.type) {
      case 'session':
        if (this.#services) this.#started(message.session, fds);
        else this.#held.push({ session: message.session, fds });
        return;
      case 'adopted':
        return this.#begin();
      case 'exit':
        this.registry.get(message.id)?.exited(message.exit);
        return;
      case 'spawn-failed': {
        const pending = this.#pending.get(message.id);
        this.#pending.delete(message.id);
        pending?.started.reject(spawnError(pending.run, message.code, message.syscall));
        return;
      }
    }
  }

  /** The holder has sent everything: first adopt the running sessions, then those that are only on disk. */
  #begin(): void {
    const { home } = this.#holder.daemon;
    this.#services = {
      home,
      watch: this.#watch,
      flusher: new Flusher(),
      turns: new DiskTurns(),
      openLogs: new OpenLogs(),
      housekeeper: new Housekeeper(warn),
      remover: new Remover(home.sessions, warn),
      screens: new Screens(home.config, {
        onAnswers: (id, bytes, upTo) => this.registry.get(id)?.input.answer(bytes, upTo),
        onFocusMode: (id, reportsFocus) => {
          const session = this.registry.get(id);
          if (session) session.view.reportsFocus = reportsFocus;
        },
        onStatus: (id, status) => this.registry.get(id)?.recordStatus(status),
        onLooked: (id, offset) => this.registry.get(id)?.recordLook(offset),
        onMilestone: (id, milestone, at) => this.registry.get(id)?.recordMilestone(milestone, at),
        onOscEvent: (id, fact, at) => this.registry.get(id)?.recordOscEvent(fact, at),
        warn,
      }),
      notifier: new Notifier({
        configFile: `${home.config}/config.json`,
        emit: (event) => this.#emit(event),
        tellViewers: ({ id, name, title, body }) => {
          for (const session of this.registry.all())
            for (const { watcher } of session.viewers.all())
              watcher.emit({ type: 'notice', session: id, name, title, body });
        },
        warn,
      }),
      emit: (event) => this.#emit(event),
      warn,
      release: (id) => this.#holder.send({ type: 'done', id }),
      note: (id, endAtLeast) => this.#holder.send({ type: 'note', id, endAtLeast }),
      closeChildInput: (id) => this.#holder.send({ type: 'close-input', id }),
    };
    const sessions: Session[] = [];
    for (const { session, fds } of this.#held.splice(0)) sessions.push(Session.adopt(this.#services, session, fds));
    sessions.sort((a, b) => a.startedAt - b.startedAt);
    for (const session of sessions) {
      this.registry.add(session);
      this.#resume(session);
    }
    this.#recall = new Recall(
      () =>
        this.#listEnded(home.sessions).catch((error: Error) => {
          warn(`cannot list the ended sessions: ${error.message}`);
          return [];
        }),
      (id) => this.#recallOne(id),
    );
    void this.#recall.whole.then(() => {
      this.#recall = null;
      this.registry.sort();
      void this.#services!.remover.resume();
      this.#sweeper = this.#makeSweeper();
      this.#sweeper.start();
    });
    this.#serve();
    void syncHome(home);
    void this.#recall.start();
  }

  async #listEnded(sessions: string): Promise<readonly string[]> {
    return (await listRecords(sessions)).filter((id) => !this.registry.get(id)?.isRunning);
  }

  #recallOne(id: string): void {
    if (this.registry.get(id)) return; // it was started meanwhile, and has ended
    const record = readRecord(`${this.#services!.home.sessions}/${id}`);
    if (!record) {
      this.#orphans.add(`${this.#services!.home.sessions}/${id}`);
      return warn(`the folder of session ${id} has no record that can be read; spool doctor says what to do`);
    }
    try {
      const session = Session.recall(this.#services!, record);
      this.registry.add(session);
      this.#resume(session);
    } catch (error) {
      // One damaged folder must not stop this keeper and each of its successors.
      warn(`session ${id} could not be restored: ${(error as Error).stack}`);
    }
  }

  #makeSweeper(): Sweeper {
    const { home, housekeeper, remover } = this.#services!;
    const clock = new ClockCheck(`${home.state}/clock.json`);
    return new Sweeper({
      sessions: () => this.registry.all(),
      housekeeper,
      keepEnded: () => readKeepEnded(`${home.config}/config.json`),
      isClockTrusted: () => clock.isTrusted(),
      remove: ({ id }) => {
        const session = this.registry.get(id);
        if (session) this.remove(session);
      },
      orphans: () => this.#orphans,
      removeOrphan: (folder) => {
        this.#orphans.delete(folder);
        remover.take(folder);
      },
      warn,
    });
  }

  /** Whether all sessions are known: a new keeper reads the ended ones from the disk. */
  get isWhole(): boolean {
    return this.#recall === null;
  }

  /** Resolves when this session is known, or all are; `isId` if the reference can only be an id. */
  async whenKnown(reference = '', isId = false): Promise<void> {
    const recall = this.#recall;
    if (recall === null || this.registry.get(reference)) return;
    await recall.listed;
    if (recall.one(reference) || this.registry.get(reference) || isId) return;
    if (reference !== '' && this.registry.isNameTaken(reference)) return; // a running session takes precedence over an ended one
    await recall.whole;
  }

  /** Continues what the last keeper had under way for a session. */
  #resume(session: Session): void {
    const { lifecycle, timeLeftMs } = session;
    if (lifecycle.phase !== 'running') {
      // The child is gone, but the last keeper may have died before the rest of the process tree was.
      const isRecent = Date.now() - lifecycle.endedAt < TREE_MS_MAX;
      if (lifecycle.endedBy !== null && isRecent)
        void this.terminator.end(session, lifecycle.endedBy, GRACE_MS_DEFAULT, { isResumed: true });
      return;
    }
    if (lifecycle.ending) {
      const { by, askedAt, killAt, isAsked: isResumed = false } = lifecycle.ending;
      // Between two keepers only the wall clock is available; if it was set, the grace period must not grow.
      const graceMs = Math.max(0, Math.min(killAt - Date.now(), killAt - askedAt));
      void this.terminator.end(session, by, graceMs, { isResumed });
    } else if (timeLeftMs !== null) this.#limit(session, timeLeftMs);
  }

  #limit(session: Session, timeLeftMs: number): void {
    const end = (): void => void this.terminator.end(session, 'timeout', GRACE_MS_DEFAULT);
    const timer = setTimeout(end, Math.min(TIMEOUT_MS_MAX, Math.max(0, timeLeftMs)));
    session.whenEnded(() => clearTimeout(timer));
  }

  #started(held: HeldSession, fds: readonly number[]): void {
    const { id } = held.run;
    if (this.registry.get(id)) {
      fds.forEach((fd) => native.close(fd)); // reported twice, after a spawn that was requested twice
      return;
    }
    const session = Session.adopt(this.#services!, held, fds);
    this.registry.add(session);
    this.#resume(session);
    this.#sweeper?.note(session.retainMs);
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.started.resolve(session);
    const at = Date.now();
    const { info } = session;
    this.#emit({ type: 'session-started', at, session: info });
    if (info.isTask) this.#emit({ type: 'task_started', at, taskId: id, name: info.name, startedAt: info.startedAt });
  }

  *#handOver(): Iterable<{ session: HeldSession; fds: readonly number[] }> {
    for (const session of this.registry.all()) {
      const child = session.handOver();
      if (child) yield child;
    }
  }

  /**
   * A holder that died while forking may have left a child without a terminal: this kills it, and starts it again. Only
   * its cookie identifies it, because no process could record the identity of its pid.
   */
  async #askAgain(): Promise<void> {
    const holder = this.#holder.count;
    const unanswered = [...this.#pending.values()].filter(
      ({ askedHolder }) => askedHolder !== null && askedHolder !== holder,
    );
    if (unanswered.length === 0) return;
    const wanted = new Map(unanswered.map(({ run }) => [run.id, { leader: null, controlGroup: null }]));
    const found = await new ProcessSweep(() => this.#ownPids()).find(wanted).catch(() => null);
    if (this.#holder.count !== holder) return; // replaced again: then this is called again
    if (found === null) {
      setTimeout(() => void this.#askAgain(), ASK_AGAIN_MS); // EMFILE: started now, it might run twice
      return;
    }
    for (const member of [...found.values()].flat()) signalMember(member, ['SIGKILL']);
    for (const pending of unanswered) if (this.#pending.has(pending.run.id)) this.#ask(pending);
  }

  #ownPids(): readonly number[] {
    return [this.#holder.holderPid];
  }

  #serve(): void {
    for (const listenFd of this.#holder.listenFds) this.#listen(listenFd);
  }

  #listen(listenFd: number): void {
    const watch = this.#watch;
    watch.watch(listenFd, POLL.readable, () => {
      const fd = this.#refused.size < REFUSED_MAX ? native.accept(listenFd) : -constants.errno.EMFILE;
      if (fd >= 0) return this.#welcome(fd);
      if (!OUT_OF_FDS.has(-fd)) return; // that client has left again
      // The waiting connection would make the poller call this again at once, in an endless loop.
      watch.change(listenFd, 0);
      setTimeout(() => watch.change(listenFd, POLL.readable), ACCEPT_AGAIN_MS);
    });
  }

  #welcome(fd: number): void {
    if (native.peerUid(fd) !== process.getuid!()) return native.close(fd);
    const isRefused = !this.#files.mayConnect(this.#connections.size);
    const connections = isRefused ? this.#refused : this.#connections;
    const refusal = isRefused ? new SpoolError('TOO_MANY_CONNECTIONS', { limit: openFiles().limit }) : null;
    const handlers: ConnectionHandlers = {
      onRequest: (from, channel, request) => handleRequest(this, from, channel, request),
      onInput: async (from, session, bytes) => {
        if (!this.isWhole) await this.whenKnown(session);
        return this.registry.find(session).input.write(bytes, from.who);
      },
      onTyped: (from, channel, offset, bytes) => typed(from, channel, offset, bytes),
      onClose: (closed) => connections.delete(closed),
    };
    connections.add(new Connection(this.#watch, fd, handlers, refusal));
  }

  #emit(event: DaemonEvent): void {
    for (const connection of this.#connections) {
      for (const [channel, wants] of connection.feeds) if (wants(event)) connection.event(channel, event);
    }
  }
}

/** Input from a viewer that may not type, or that has left, is ignored. */
function typed(connection: Connection, channel: number, offset: number, bytes: Uint8Array): void {
  const watcher = connection.watchers.get(channel);
  const viewer = watcher?.session.viewers.of(watcher);
  const stream = connection.typing.get(channel);
  if (!watcher || !viewer || stream === undefined) return;
  if (viewer.isReadOnly)
    viewer.watcher.emit({ type: 'input-refused', offset: offset + bytes.length, code: 'NOT_ALLOWED' });
  else if (watcher.session.input.typed(viewer.watcher, viewer.who, stream, offset, bytes))
    watcher.session.view.touch(viewer);
}

function spawnError(run: RunRequest, code: string, syscall: string): SpoolError {
  const command = run.command[0]!;
  if (code === 'EMFILE' || code === 'ENFILE') return new SpoolError('TOO_MANY_FILES', { command });
  if (syscall === 'chdir') return new SpoolError('CWD_UNUSABLE', { cwd: run.cwd, reason: code });
  if (syscall === 'execve' && (code === 'ENOENT' || code === 'ENOTDIR'))
    return new SpoolError('COMMAND_NOT_FOUND', { command });
  if (syscall === 'execve') return new SpoolError('COMMAND_NOT_EXECUTABLE', { command, reason: code });
  return new SpoolError('SPAWN_FAILED', { command, reason: `${syscall}: ${code}` });
}

function warn(sentence: string): void {
  try {
    writeSync(LOG_FD, `${new Date().toISOString()} keeper[${process.pid}]: ${sentence}\n`);
  } catch {
    // A full disk must not stop the keeper, and there is no other place to report it.
  }
}
