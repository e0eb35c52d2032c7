/**
 * The keeper: moves bytes from children to logs to watchers, and serves clients. It may be killed at any moment; the next keeper
 * gets the children from the holder and everything else from disk. Keeps LIFE-3 (`renewHolder`, `stepDown`).
 */
import { listRecords, readRecord } from '@spool/store';
import { native } from '@spool/native';
import { FdWatch } from '@spool/native/fd-watch';
import { openFiles } from '@spool/native/open-files';
import { ownNode } from '@spool/native/own-node';
import { Semaphore } from '@spool/native/semaphore';
import {
  type DaemonStatus,
  doorsFolder,
  type FromHolder,
  type HeldExit,
  type HeldSession,
  type LeftProcess,
  type ProgramSource,
  PROTOCOL_VERSION,
  type RunRequest,
  SpoolError,
  taskNameOf,
  VERSION,
} from '@spool/protocol';
import { debug, log, LOG_FD } from './daemon-log.ts';
import { AuditLog } from './gateway/audit-log.ts';
import { AuditPages } from './gateway/audit-pages.ts';
import { GatewayLink } from './gateway/gateway-link.ts';
import { NoticeQueue } from './gateway/notice-queue.ts';
import { TokenStore } from './gateway/token-store.ts';
import { Listener } from './clients/listener.ts';
import { OutputSubscriptions } from './viewers/output-subscriptions.ts';
import { freeName } from './sessions/names.ts';
import { endSummary, summarizeEnd } from './sessions/end-summary.ts';
import { DriverHosts } from './agents/driver-hosts.ts';
import { SideChannels } from './agents/side-channel/side-channel.ts';
import { Spawner } from './children/spawner.ts';
import { Terminator } from './children/terminator.ts';
import { FileBudget } from './clients/file-budget.ts';
import { EndNotes } from './logs/end-notes.ts';
import { Flusher } from './logs/flusher.ts';
import { HolderLink } from './children/holder-link.ts';
import { Housekeeper } from './retention/housekeeper.ts';
import { OutputTicks } from './children/output-ticks.ts';
import { Notifier } from './notifier.ts';
import { OpenLogs } from './logs/open-logs.ts';
import { syncHome } from './logs/sync-home.ts';
import { devNull } from './children/output-pump.ts';
import { OwnerWatch } from './children/owner-watch.ts';
import { Prompter } from './sessions/prompter.ts';
import { Recall } from './sessions/recall.ts';
import { Registry } from './sessions/registry.ts';
import { Remover } from './sessions/remover.ts';
import { handleRequest } from './clients/requests.ts';
import { endWhenIdle, type IdleSubject } from './children/health/idle-limit.ts';
import { Screens } from './screens/screens.ts';
import { ClockCheck } from './retention/clock-check.ts';
import { readKeepEnded } from './retention/keep-config.ts';
import { KeeperSession } from './sessions/session.ts';
import { Sweeper } from './retention/sweeper.ts';
import { unreadableRecord } from './sessions/unreadable.ts';
import type { SessionServices } from './sessions/services.ts';

/** A restart waits at most this long for input that is being typed. */
const TYPED_MS_MAX = 2000;
const TYPED_LOOK_MS = 10;

/** The time after which the process tree of an ended session is certainly gone. */
const TREE_MS_MAX = 60_000;

/** A daemon that is stopping waits at most this long for a slow or full disk. */
const DURABLE_MS_MAX = 2000;

/** The limit for concurrent waits for the disk: each takes a thread, and Node has four in total. */
const DISK_ACCESSES_MAX = 2;

/** The maximum delay of a timer. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

export class Keeper {
  readonly registry = new Registry();
  readonly terminator = new Terminator(() => this.#ownPids());
  readonly prompter = new Prompter();
  readonly gateway = new GatewayLink((message) => this.#holder.send(message));
  readonly notices = new NoticeQueue({ onUntaken: () => this.#holder.send({ type: 'sender' }), warn });
  readonly #watch = new FdWatch(() => this.#services?.screens.restMs ?? 0);
  readonly outputSubscriptions = new OutputSubscriptions();
  readonly #holder: HolderLink;
  readonly #files = new FileBudget(openFiles);
  readonly #listener: Listener;
  readonly #spawner: Spawner;
  readonly #sideChannels = new SideChannels({
    home: () => this.#holder.daemon.home,
    isWanted: () => this.#services!.notifier.settings.sideChannel,
  });
  readonly #owners: OwnerWatch;
  readonly #held: { session: HeldSession; fds: readonly number[] }[] = [];
  #services: SessionServices | null = null;
  #recall: Recall | null = null;
  #sweeper: Sweeper | null = null;
  /** Session folders without a record. */
  readonly #orphans = new Set<string>();
  #isEnding = false;
  #audit: AuditLog | null = null;
  #auditPages: AuditPages | null = null;

  constructor(linkFd: number) {
    devNull();
    this.#holder = new HolderLink(linkFd, {
      watch: this.#watch,
      logFd: LOG_FD,
      node: ownNode,
      onMessage: (message, fds) => this.#handle(message, fds),
      onMoved: (isNewStart) => this.#moved(isNewStart),
      onReplaced: () => void this.#spawner.askAgain(),
      handOver: () => this.#handOver(),
      warn,
    });
    this.#holder.sayReady();
    this.#spawner = new Spawner({
      daemon: () => this.#holder.daemon,
      holder: () => this.#holder.count,
      send: (message) => this.#holder.send(message),
      screensReady: () => this.#services!.screens.ready,
      planServer: (run) => this.#sideChannels.plan(run),
      takeSecrets: (id) => this.#sideChannels.takeSecrets(id),
      ownPids: () => this.#ownPids(),
    });
    this.#owners = new OwnerWatch(this.#watch, (session) => {
      if (session.lifecycle.phase === 'running' && session.lifecycle.ending === null)
        void this.terminator.end(session as KeeperSession, 'owner', this.graceMs);
    });
    this.#listener = new Listener(this.#watch, this.#files, {
      onRequest: (from, channel, request) => handleRequest(this, from, channel, request),
      onInput: async (from, session, bytes) => {
        if (!this.isWhole) await this.whenKnown(session);
        const found = this.registry.find(session);
        if (found.isHeadless) throw new SpoolError('AGENT_ON_WIRE', { session: found.name });
        return found.input.write(bytes, from.who);
      },
    });
  }

  get tokens(): TokenStore {
    return new TokenStore(doorsFolder(this.#holder.daemon.home));
  }

  get audit(): AuditLog {
    const warn = (sentence: string): void => log('warn', sentence);
    return (this.#audit ??= new AuditLog(doorsFolder(this.#holder.daemon.home), warn));
  }

  get notifier(): Notifier {
    return this.#services!.notifier;
  }

  get auditPages(): AuditPages {
    return (this.#auditPages ??= new AuditPages(doorsFolder(this.#holder.daemon.home)));
  }

  /** Starts a child; rejects with the error of the operating system. */
  start(run: RunRequest): Promise<KeeperSession> {
    if (this.#isEnding) throw new SpoolError('DAEMON_STOPPING');
    const underWay = this.#spawner.underWay(run);
    if (underWay) return underWay;
    const sessions = { running: this.registry.runningCount, starting: this.#spawner.count };
    if (!this.#files.mayRun(sessions, this.#listener.count))
      throw new SpoolError('TOO_MANY_FILES', { limit: openFiles().limit });
    const name = run.name === undefined || run.isTask ? this.#freeName(run) : run.name;
    const taskName = run.isTask ? run.name : undefined;
    return this.#spawner.start({ ...run, name, ...(taskName !== undefined && taskName !== name && { taskName }) });
  }

  /** Returns a free name. It is decided at once and sent along, so that the death of a process of the daemon does not change it. */
  #freeName(run: RunRequest): string {
    return freeName(run, new Set([...this.registry.runningNames(), ...this.#spawner.names]));
  }

  /** Returns the agent sessions that children other than `id` are about to resume. */
  agentSessionsUnderWay(id: string): readonly string[] {
    return this.#spawner.agentSessions(id);
  }

  /** Returns whether a session other than `id` has the name. */
  isNameTaken(name: string, id: string): boolean {
    return this.#spawner.isNameTaken(name, id) || this.registry.isNameTaken(name);
  }

  /** Handles a session to which a client has given another name. */
  renamed(session: KeeperSession, before: string): void {
    const { id, name } = session;
    const offset = session.isRunning ? session.log.end : session.info.offset;
    this.#listener.emit({ type: 'session-renamed', at: Date.now(), id, name, before, offset });
    this.outputSubscriptions.renamed(session);
  }

  remove(session: KeeperSession): void {
    if (this.registry.get(session.id) !== session) return; // another request removed it first
    this.registry.delete(session.id);
    try {
      session.remove();
    } catch (error) {
      warn(`the folder of session ${session.id} could not be removed completely: ${(error as Error).message}`);
    }
    this.#listener.emit({ type: 'session-removed', at: Date.now(), id: session.id });
  }

  /** Sends a test notification to each configured channel. */
  testNotification(): ReturnType<Notifier['test']> {
    return this.#services!.notifier.test();
  }

  /** The time that programs have to end, if the client does not give one: `grace` of the configuration. */
  get graceMs(): number {
    return this.#services!.notifier.settings.grace;
  }

  /** Resolves once both processes hold every fd, so the answer is still true if the caller then kills one of them. */
  async status(): Promise<DaemonStatus> {
    await this.#holder.settled();
    await this.#recall?.listed;
    const { home, startedAt, hasEscrow, canReadForeignExit, program } = this.#holder.daemon;
    const { info } = this.gateway;
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
      openFiles: this.#files.status(this.#listener.count),
      program: program && { since: program.since, refused: program.refused },
      holder: { pid: this.#holder.holderPid },
      keeper: { pid: process.pid, rssBytes: process.memoryUsage.rss() },
      gateway: info && { pid: info.pid, port: info.port, url: info.url, version: this.gateway.version },
    };
  }

  /** Replaces the holder by one that runs the code now on disk; sessions continue. */
  async renewHolder(): Promise<void> {
    if (!this.#holder.daemon.hasEscrow)
      throw new SpoolError('NOT_ALLOWED', { reason: 'the daemon is a single process on this system' });
    await this.#spawner.pausedWhile(() => this.#holder.renew());
  }

  /**
   * Exits once the holder has another keeper ready, with the code now on disk, that of `program`, or for the reason `back` that of the
   * program before; sessions continue. If no keeper becomes ready, rejects with the reason, and this keeper continues to serve.
   */
  async stepDown(program?: ProgramSource, back?: string): Promise<void> {
    if (!this.#holder.daemon.hasEscrow)
      throw new SpoolError('NOT_ALLOWED', { reason: 'the daemon is a single process on this system' });
    await this.#spawner.answered();
    await this.#holder.settled();
    await this.#holder.prepareSuccessor(program, back);
    this.#leave();
  }

  /** Exits. Queued input exists only in this process, so the keeper waits for it, except for a child that does not read. */
  #leave(): void {
    const until = performance.now() + TYPED_MS_MAX;
    const leave = (): void => {
      const isTyping = [...this.registry.all()].some(({ input }) => input.queuedBytes > 0);
      if (isTyping && performance.now() < until) return void setTimeout(leave, TYPED_LOOK_MS);
      log('info', 'exiting on request; the next keeper takes over');
      // If the folders of logs are missing, the next keeper continues after the bytes that were lost with them.
      for (const session of this.registry.all()) session.noteEnd();
      process.exit(0);
    };
    setImmediate(leave); // send the answer first
  }

  #listen(): void {
    const { state } = this.#holder.daemon.home;
    log('info', `serving ${state}, ${this.registry.size} running sessions (Spool ${VERSION}, Node ${process.version})`);
    for (const listenFd of this.#holder.listenFds) this.#listener.listen(listenFd);
  }

  /** Handles a moved daemon. Without escrow this is the only keeper, so it can only listen again. */
  #moved(isNewStart: boolean): void {
    if (this.#services) this.#listen();
    // It happens at once: until the next keeper runs, output is written to the old folder.
    if (isNewStart && this.#holder.daemon.hasEscrow)
      void Promise.all([this.#spawner.answered(), this.#holder.settled()]).then(() => this.#leave());
  }

  /** Ends every session, then the daemon. Returns the processes that were left running because they serve other sessions. */
  async endAll(graceMs: number): Promise<readonly LeftProcess[]> {
    this.#isEnding = true;
    const running = [...this.registry.all()].filter(({ isRunning }) => isRunning);
    await Promise.all(running.map((session) => this.terminator.end(session, 'stop', graceMs)));
    // The ends of the sessions must survive a power cut too, if the disk accepts them.
    const durable = Promise.all(running.map((session) => session.file.durable()));
    await Promise.race([durable, new Promise((resolve) => setTimeout(resolve, DURABLE_MS_MAX))]);
    await this.terminator.finish(graceMs); // the sessions whose child has ended, but not all of its process tree
    await this.#holder.settled();
    // The answer is sent first; then the holder removes the socket and exits, and the keeper exits with its link.
    setImmediate(() => {
      // Sent so that no client takes the broken link for an accident and starts the daemon again.
      this.#listener.failAll(new SpoolError('DAEMON_STOPPING'));
      this.#holder.expectEnd();
      this.#holder.send({ type: 'shutdown' });
    });
    const left = running.flatMap(({ leftRunning }) => leftRunning);
    return [...new Map(left.map((each) => [each.pid, each])).values()];
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
        debug(`session ${message.id} has ended: ${JSON.stringify(message.exit)}`);
        this.#exited(message.id, message.exit);
        return;
      case 'spawn-failed':
        this.#spawner.failed(message.id, message.code, message.syscall);
        return;
    }
  }

  #exited(id: string, exit: HeldExit): void {
    const session = this.registry.get(id);
    session?.exited(exit);
    const { info } = session ?? {};
    if (!session || !info || !this.#listener.wants(summarizeEnd(info))) return;
    endSummary(session).then(
      (event) => this.#listener.emit(event),
      (error: Error) => debug(`no summary of ${id}: ${error.message}`), // the session was removed, or its log cannot be read
    );
  }

  /** Begins to serve once the holder has sent all sessions: adopts the running ones first, then those that are only on disk. */
  #begin(): void {
    const { home } = this.#holder.daemon;
    this.#services = {
      home,
      watch: this.#watch,
      flusher: new Flusher(),
      endNotes: new EndNotes(),
      diskAccess: new Semaphore(DISK_ACCESSES_MAX),
      openLogs: new OpenLogs(),
      housekeeper: new Housekeeper(warn),
      ticks: new OutputTicks(),
      remover: new Remover(home.sessions, warn),
      screens: new Screens(home.config, {
        onAnswers: (id, bytes, upTo) => this.registry.get(id)?.input.answer(bytes, upTo),
        onReached: (id, offset) => this.registry.get(id)?.input.answeredUpTo(offset),
        onFocusMode: (id, reportsFocus) => {
          const session = this.registry.get(id);
          if (session) session.view.reportsFocus = reportsFocus;
        },
        onStatus: (id, status) => this.registry.get(id)?.reports.screenRead(status),
        onLooked: (id, offset) => this.registry.get(id)?.reports.looked(offset),
        onCommand: (id, command) => this.registry.get(id)?.reports.commandEnded(command),
        onMilestone: (id, milestone, at) => this.registry.get(id)?.reports.milestoneReached(milestone, at),
        onOscEvent: (id, fact, at) => this.registry.get(id)?.reports.oscEvent(fact, at),
        warn,
      }),
      notifier: new Notifier({
        configFile: `${home.config}/config.json`,
        queue: this.notices,
        emit: (event) => this.#listener.emit(event),
        tellViewers: ({ id, name, title, body }) => {
          for (const session of this.registry.all())
            for (const { watcher } of session.viewers.all())
              watcher.emitLatest({ type: 'notice', session: id, name, title, body });
        },
        warn,
      }),
      driverHosts: new DriverHosts({ watch: this.#watch, configFolder: home.config, warn }),
      emit: (event) => this.#listener.emit(event),
      warn,
      serveDriver: (fd, id, traffic) => this.#listener.serveDriver(fd, id, traffic),
      release: (id) => this.#holder.send({ type: 'done', id }),
      note: (id, endAtLeast) => this.#holder.send({ type: 'note', id, endAtLeast }),
      closeChildInput: (id) => this.#holder.send({ type: 'close-input', id }),
    };
    const sessions: KeeperSession[] = [];
    for (const { session, fds } of this.#held.splice(0))
      sessions.push(KeeperSession.adopt(this.#services, session, fds));
    sessions.sort((a, b) => a.file.startedAt - b.file.startedAt);
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
    this.#listen();
    this.#holder.send({ type: 'serving' });
    void syncHome(home);
    void this.#recall.start();
  }

  async #listEnded(sessions: string): Promise<readonly string[]> {
    return (await listRecords(sessions)).filter((id) => !this.registry.get(id)?.isRunning);
  }

  #recallOne(id: string): void {
    if (this.registry.get(id)) return; // the session was started meanwhile, and has ended
    const folder = `${this.#services!.home.sessions}/${id}`;
    const record = readRecord(folder) ?? unreadableRecord(folder, id);
    if (!record) {
      this.#orphans.add(folder);
      return warn(`the folder of session ${id} has no record that can be read; spool doctor says what to do`);
    }
    try {
      const session = KeeperSession.recall(this.#services!, record);
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

  /** Continues the work that the last keeper had begun for a session. */
  #resume(session: KeeperSession): void {
    const { lifecycle } = session;
    const { timeLeftMs } = session.file;
    session.agent?.start();
    if (lifecycle.phase !== 'running') {
      // The child is gone, but the last keeper may have died before the rest of the process tree ended.
      const isRecent = Date.now() - lifecycle.endedAt < TREE_MS_MAX;
      if (lifecycle.endedBy !== null && isRecent)
        void this.terminator.end(session, lifecycle.endedBy, this.graceMs, { isResumed: true });
      return;
    }
    if (lifecycle.ending) {
      const { by, askedAt, killAt, isAsked: isResumed = false } = lifecycle.ending;
      // Between two keepers only the wall clock is available; if it was set, the grace period must not grow.
      const graceMs = Math.max(0, Math.min(killAt - Date.now(), killAt - askedAt));
      void this.terminator.end(session, by, graceMs, { isResumed });
    } else {
      if (timeLeftMs !== null) this.#limit(session, timeLeftMs);
      if (session.run.idleTimeoutMs !== undefined) this.#limitIdle(session, session.run.idleTimeoutMs);
    }
    this.#owners.follow(session);
  }

  #limitIdle(session: KeeperSession, idleMs: number): void {
    const subject = (): IdleSubject => {
      const { pid, offset, typed } = session.info;
      return { pid, offset, typedAt: typed?.at ?? null };
    };
    const end = (): void => void this.terminator.end(session, 'timeout', this.graceMs);
    session.whenEnded(endWhenIdle(subject, idleMs, end));
  }

  #limit(session: KeeperSession, timeLeftMs: number): void {
    const end = (): void => void this.terminator.end(session, 'timeout', this.graceMs);
    const timer = setTimeout(end, Math.min(TIMEOUT_MS_MAX, Math.max(0, timeLeftMs)));
    session.whenEnded(() => clearTimeout(timer));
  }

  #started(held: HeldSession, fds: readonly number[]): void {
    const { id } = held.run;
    if (this.registry.get(id)) {
      fds.forEach((fd) => native.close(fd)); // reported twice, after a spawn that was requested twice
      return;
    }
    const session = KeeperSession.adopt(this.#services!, held, fds);
    this.registry.add(session);
    debug(`session ${id} has started as process ${held.pid}`);
    this.#resume(session);
    this.#sweeper?.note(session.file.retainMs);
    this.#spawner.started(session);
    const at = Date.now();
    const { info } = session;
    this.#listener.emit({ type: 'session-started', at, session: info });
    this.outputSubscriptions.started(session);
    if (info.isTask)
      this.#listener.emit({ type: 'task_started', at, taskId: id, name: taskNameOf(info), startedAt: info.startedAt });
  }

  *#handOver(): Iterable<{ session: HeldSession; fds: readonly number[] }> {
    for (const session of this.registry.all()) {
      const child = session.handOver();
      if (child) yield child;
    }
  }

  #ownPids(): readonly number[] {
    return [this.#holder.holderPid];
  }
}

function warn(sentence: string): void {
  log('warn', sentence);
}
