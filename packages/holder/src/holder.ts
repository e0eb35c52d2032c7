/**
 * The holder: forks children, holds their file descriptors, records how they ended, and keeps a keeper running. It does
 * no networking and no parsing, and no byte of any session passes through it. Keeps LIFE-1 and LIFE-2, with the
 * keeper's `holder-link.ts`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { native } from '@spool/native';
import { FdLink } from '@spool/native/fd-link';
import type { FdWatch } from '@spool/native/fd-watch';
import { openProcess, ownStartTicks } from '@spool/native/process-identity';
import { MissedSessions } from '@spool/native/missed-sessions';
import { openFiles } from '@spool/native/open-files';
import { SpareFds } from '@spool/native/spare-fds';
import { PeerHealth } from '@spool/native/peer-health';
import { killAndWait } from '@spool/native/when-gone';
import {
  type DaemonRecord,
  type ListenAddress,
  type FromHolder,
  type FromKeeper,
  PING_INTERVAL_MS,
  type ProgramSource,
} from '@spool/protocol';
import { ChildTable } from './child-table.ts';
import type { DaemonLog } from './daemon-log.ts';
import { FdStore, type FdStoreOptions } from './fd-store.ts';
import { FolderWatch } from './folder-watch.ts';
import { GatewayProcess } from './gateway-process.ts';
import { HomeGuard, SETTLE_MS } from './home-guard.ts';
import { KeeperTrouble } from './keeper-trouble.ts';
import { removeIfThere, removeShortFolder } from './listening.ts';
import { type PreparedProgram, ProgramFiles, type RunnableProgram } from './program-files.ts';
import { loadProblem } from './load-check.ts';
import { takeWantedProgram } from './wanted-program.ts';
import { KEEPER_FLAGS, startSuccessor, type Successor } from './successor.ts';

/** The lifetime after which a keeper counts as healthy: its successor is started at once. */
const HEALTHY_MS = 400;
const BACKOFF_MS_FIRST = 20;
const BACKOFF_MS_MAX = 2000;

/** The pause between the end of a store and the start of the next. */
const STORE_AGAIN_MS = 1000;

/** The pause between two attempts to copy the program, for example on a full disk. */
const COPY_AGAIN_MS = 60_000;

/**
 * The time within which a keeper of a new program must serve, and then how long it must stay; otherwise the program before is used
 * again.
 */
const SERVE_MS_MAX = 20_000;
const TRIAL_MS = 6000;

/** The fds that the start of a child needs: the child keeps half of them; some of the others remain for handing over. */
const FILES_TO_START_A_CHILD = 24;

export interface HolderOptions {
  readonly watch: FdWatch;
  readonly log: DaemonLog;
  readonly daemon: DaemonRecord;
  /**
   * The listening sockets and the daemon's locks, see DaemonRecord. The holder holds them too, so that a keeper's death closes
   * none of them.
   */
  readonly commonFds: readonly number[];
  /** Whether this holder was started beside one that is about to exit: until then, it starts no processes. */
  readonly isStandby?: boolean;
  /** Whether a keeper whose holder died is handing its sessions over; `handed` ends that. */
  readonly isTakingOver?: boolean;
}

interface RunningKeeper {
  readonly link: FdLink<FromKeeper, FromHolder>;
  readonly startedAt: number;
  readonly pid: number;
  readonly pidfd: number;
  readonly health: PeerHealth;
  /** Whether the keeper serves, or, if it has an older version, has loaded. */
  isReady: boolean;
}

export class Holder {
  readonly #options: HolderOptions;
  readonly #children: ChildTable;
  #keeper: RunningKeeper | null = null;
  #backoffMs = 0;
  #pings: NodeJS.Timeout | null = null;
  readonly #spare = new SpareFds();
  readonly #missed = new MissedSessions(this.#spare, (id) => this.#emit({ type: 'missed', id }));
  #isShuttingDown = false;
  #isStandby: boolean;
  #isTakingOver: boolean;
  #daemon: DaemonRecord;
  #commonFds: readonly number[];
  #guard: HomeGuard | null;
  #store: FdStore | null = null;
  readonly #gateway: GatewayProcess;
  readonly #programs: ProgramFiles;
  readonly #trouble = new KeeperTrouble(() => this.#daemon.home.state);
  #copyAgainAt = 0;
  /** The number of keepers in a row that ended before they were ready. */
  #failures = 0;
  /** A keeper that has loaded, and takes over when the present one exits. */
  #successor: Successor | null = null;
  /** The keeper of a new program that has yet to show that it serves. */
  #trial: { readonly pid: number; readonly timer: NodeJS.Timeout } | null = null;
  readonly #folders: FolderWatch;
  /** A promise that resolves when no earlier keeper can write any more. */
  #othersGone: Promise<unknown> = Promise.resolve();

  constructor(options: HolderOptions) {
    this.#options = options;
    this.#isStandby = options.isStandby === true;
    this.#isTakingOver = options.isTakingOver === true;
    this.#programs = new ProgramFiles(options.daemon.program);
    this.#daemon = { ...options.daemon, program: this.#programs.record };
    this.#commonFds = options.commonFds;
    this.#guard = HomeGuard.of(options.daemon, options.commonFds, (sentence) => options.log.say(sentence, 'warn'));
    this.#folders = new FolderWatch(() => this.#checkHome());
    if (this.#guard) this.#folders.watch(this.#guard.folders);
    this.#children = new ChildTable(
      options.watch,
      (id, exit) => {
        this.#tellStore(id, 'update');
        this.#emit({ type: 'exit', id, exit });
      },
      (name) => this.#program(name).path,
    );
    this.#gateway = new GatewayProcess({
      watch: options.watch,
      log: options.log,
      daemon: () => this.#daemon,
      program: (name) => this.#program(name),
      doorFd: () => this.#doorFd,
      keepDoor: (door, fd) => this.#keepDoor(door, fd),
    });
    if (!this.#isStandby) this.#gateway.resume();
    // A holder that takes over has received its predecessor's copy.
    if (this.#daemon.hasEscrow && options.daemon.program === undefined) this.#copyProgram();
    if (this.#daemon.hasStore === true) this.#store = new FdStore(this.#storeOptions, this.#commonFds.at(-1)!);
    else if (this.#daemon.hasEscrow && !this.#isStandby) this.#startStore();
  }

  get #storeOptions(): FdStoreOptions {
    return {
      watch: this.#options.watch,
      logFd: this.#options.log.fd,
      program: (name) => this.#program(name),
      say: (sentence) => this.#options.log.say(sentence),
      onGone: () => this.#storeGone(),
    };
  }

  /** Copies the program: from here on the daemon runs this copy, because the installation may be moved, replaced or deleted. */
  #copyProgram(): void {
    try {
      this.#setProgram(this.#programs.prepare(this.#daemon.home.state));
    } catch (error) {
      this.#options.log.say(`the daemon has no copy of its program: ${(error as Error).message}`, 'warn');
    }
  }

  #setProgram(program: PreparedProgram): void {
    this.#programs.use(this.#daemon.home.state, program);
    this.#setCommon({ ...this.#daemon, program: program.record }, this.#commonFds);
    this.#tellStoreProgram();
  }

  /** Returns a program of the daemon, and the Node that runs it. */
  #program(name: string): RunnableProgram {
    return this.#programs.find(this.#daemon.home.state, name, this.#failures);
  }

  #startStore(): void {
    this.#store = FdStore.start(this.#storeOptions);
    if (this.#store === null) return;
    this.#setCommon({ ...this.#daemon, hasStore: true }, [...this.#ownFds, this.#store.link]);
    this.#fillStore();
  }

  /** All common fds except the link to the store. */
  get #ownFds(): readonly number[] {
    return this.#daemon.hasStore === true ? this.#commonFds.slice(0, -1) : this.#commonFds;
  }

  get #doorFd(): number | null {
    return this.#daemon.door ? this.#ownFds.at(-1)! : null;
  }

  /**
   * Holds the gateway's socket in all three processes, like every other socket: whichever of them dies, no other program gets the
   * port.
   */
  #keepDoor(door: ListenAddress | null, fd: number | null): void {
    const before = this.#doorFd;
    if (before === null && fd === null) return;
    const rest = before === null ? this.#ownFds : this.#ownFds.slice(0, -1);
    const link = this.#daemon.hasStore === true ? [this.#commonFds.at(-1)!] : [];
    this.#setCommon({ ...this.#daemon, door: door ?? undefined }, [...rest, ...(fd === null ? [] : [fd]), ...link]);
    if (before !== null) native.close(before);
    this.#store?.daemon(this.#daemon, this.#ownFds);
    this.#emit({ type: 'moved', daemon: this.#daemon, isNewStart: false }, this.#commonFds);
  }

  #setCommon(daemon: DaemonRecord, fds: readonly number[]): void {
    this.#daemon = daemon;
    this.#commonFds = fds;
    this.#guard = HomeGuard.of(daemon, fds, (sentence) => this.#options.log.say(sentence));
  }

  #fillStore(): void {
    if (this.#isStandby) return;
    this.#store?.fill(this.#daemon, this.#ownFds, this.#children.all());
    this.#tellStoreProgram();
  }

  #tellStoreProgram(): void {
    if (this.#programs.nodeFd !== -1) this.#store?.program(this.#program('holder.mjs').path, this.#programs.nodeFd);
  }

  #storeGone(): void {
    const link = this.#commonFds.at(-1)!;
    this.#store = null;
    this.#setCommon({ ...this.#daemon, hasStore: false }, this.#ownFds);
    native.close(link);
    if (this.#isShuttingDown || this.#isStandby) return;
    this.#options.log.say('the fd store is gone; starting another');
    // The restart is delayed, because a store that cannot run here would be started again and again.
    setTimeout(() => {
      if (this.#isShuttingDown || this.#store !== null) return;
      this.#startStore();
      this.#emit({ type: 'moved', daemon: this.#daemon, isNewStart: false }, this.#commonFds);
    }, STORE_AGAIN_MS);
  }

  /** Takes over from a dead holder: the keeper will hand over its sessions. */
  attach(link: FdLink<FromKeeper, FromHolder>, pid: number, startTicks?: string): void {
    const health = new PeerHealth({
      pid,
      ask: () => link.send({ type: 'ping' }),
      onHung: () => this.keeperGone('it did not answer'),
    });
    const pidfd = this.#spare.use(() => openProcess(pid, startTicks));
    this.#keeper = { link, pid, pidfd, startedAt: performance.now(), health, isReady: false };
    link.send(
      { type: 'welcome', holderPid: process.pid, holderStart: ownStartTicks(), daemon: this.#daemon },
      this.#commonFds,
    );
    this.#pings ??= setInterval(() => this.#ping(), PING_INTERVAL_MS);
  }

  #ping(): void {
    this.#emit({ type: 'ping' });
    this.#options.log.bound();
    this.#checkHome();
    this.#repairProgram();
  }

  /**
   * Copies the program again if the copy was deleted. The copy is delayed, because the process that deletes the state folder may
   * still be running.
   */
  #repairProgram(): void {
    if (!this.#daemon.hasEscrow || this.#isStandby || this.#isShuttingDown || this.#successor) return;
    if (!this.#programs.needsCopy(this.#daemon.home.state) || performance.now() < this.#copyAgainAt) return;
    this.#copyAgainAt = performance.now() + COPY_AGAIN_MS;
    this.#copyProgram();
    this.#emit({ type: 'moved', daemon: this.#daemon, isNewStart: false }, this.#commonFds);
  }

  #checkHome(): void {
    if (this.#guard === null || this.#isStandby || this.#isShuttingDown) return;
    const found = this.#guard.check();
    if (found === 'again') return this.#folders.callIn(SETTLE_MS);
    if (found === null) return;
    this.#daemon = found.daemon;
    this.#commonFds = found.fds;
    this.#store?.daemon(this.#daemon, this.#ownFds);
    this.#tellStoreProgram();
    this.#folders.watch(this.#guard.folders);
    this.#options.log.reopen(found.daemon.home.daemonLog);
    this.#emit({ type: 'moved', daemon: this.#daemon, isNewStart: found.isNewStart }, this.#commonFds);
  }

  /**
   * Returns null if there are no fds for a socket pair. The caller then tries again, because the children's output must be read.
   */
  #pair(): readonly [number, number] | null {
    try {
      return native.socketPair();
    } catch (error) {
      this.#options.log.say(`cannot start a keeper now: ${(error as Error).message}`, 'warn');
      setTimeout(() => this.startKeeper(), BACKOFF_MS_MAX);
      return null;
    }
  }

  startKeeper(): void {
    this.#spare.release(); // starting a process needs fds
    if (this.#failures > 0) this.#useWantedProgram();
    const [ours, theirs] = this.#pair() ?? [];
    if (ours === undefined || theirs === undefined) return;
    const pid = this.#daemon.hasEscrow ? this.#startProcess(theirs) : this.#startHere(theirs);
    if (pid === undefined) {
      native.close(ours);
      this.#restartKeeper();
      return;
    }
    const link = new FdLink<FromKeeper, FromHolder>(this.#options.watch, ours, {
      onMessage: (message, fds) => this.handle(message, fds),
      onFdsLost: (message) => this.fdsLost(message),
      onEnd: () => this.keeperGone('it closed its link'),
    });
    this.#begin(link, pid);
  }

  /** No keeper can be started, so an installation that a user names is tried, without asking what it would replace. */
  #useWantedProgram(): void {
    const wanted = takeWantedProgram(this.#daemon.home.state);
    if (wanted === null) return;
    try {
      this.#setProgram(this.#programs.prepare(this.#daemon.home.state, wanted));
      this.#failures = 0; // the new copy is tried first
      this.#options.log.say(`the program of ${wanted.folder} is used from here on`);
    } catch (error) {
      this.#options.log.say(`the program of ${wanted.folder} cannot be used: ${(error as Error).message}`, 'warn');
    }
  }

  #begin(link: FdLink<FromKeeper, FromHolder>, pid: number): void {
    this.attach(link, pid);
    // The new keeper loads meanwhile; it gets the sessions once no other keeper can write into their logs.
    void this.#othersGone.then(() => {
      if (this.#keeper?.link === link) this.#handAll(link);
    });
  }

  #promote({ link, process: { pid }, program, saysServing, promoted }: Successor): void {
    this.#successor = null;
    promoted();
    this.#endTrial();
    this.#setProgram(program);
    this.#begin(link, pid!);
    this.#keeper!.isReady = !saysServing;
    const timer = setTimeout(() => this.keeperGone('it did not serve in time'), SERVE_MS_MAX);
    if (saysServing) this.#trial = { pid: pid!, timer };
    else clearTimeout(timer);
  }

  #endTrial(): void {
    if (this.#trial) clearTimeout(this.#trial.timer);
    this.#trial = null;
  }

  /** Uses the program before again, because the keeper of the present one has failed. Keeps LIFE-45. */
  #goBack(reason: string): void {
    this.#endTrial();
    const program = this.#programs.prepareBefore(this.#daemon.home.state, reason);
    if (program === null) return;
    this.#options.log.say(`the new program is given up, and the one before is used again: ${reason}`, 'warn');
    this.#setProgram(program);
    this.#backoffMs = 0;
  }

  #handAll(link: FdLink<FromKeeper, FromHolder>): void {
    for (const held of this.#children.all()) link.send({ type: 'session', session: held.session }, held.fds);
    link.send({ type: 'adopted' });
  }

  #startProcess(socket: number): number | undefined {
    const { node, path } = this.#program('keeper.mjs');
    const child = spawn(node, [...KEEPER_FLAGS, path, '--link-fd', '3'], {
      argv0: 'node',
      stdio: ['ignore', 'ignore', this.#options.log.fd, socket],
      detached: true,
      cwd: '/',
    });
    native.close(socket);
    child.on('error', (error) => {
      this.#failures++;
      this.#trouble.report(`the keeper could not be started: ${error.message}`);
      this.#options.log.say(`the keeper could not be started: ${error.message}`, 'warn');
    });
    child.on('exit', (code, signal) => this.#keeperExited(child, code, signal));
    return child.pid;
  }

  /** Runs the same keeper in this process, over the same kind of link, if there is no escrow. */
  #startHere(socket: number): number {
    void import(this.#program('keeper-here.mjs').path).then(
      ({ Keeper }: { Keeper: new (socket: number) => unknown }) => new Keeper(socket),
    );
    return process.pid;
  }

  handle(message: FromKeeper, fds: readonly number[]): void {
    this.#keeper?.health.heard();
    switch (message.type) {
      case 'ready':
        return message.saysServing === true ? undefined : this.#keeperServes();
      case 'serving':
        return this.#keeperServes();
      case 'succeed':
        return void this.#prepareSuccessor(message.program, message.back);
      case 'spawn':
        return this.#spawn(message.run);
      case 'done':
        this.#store?.drop(message.id);
        return this.#children.release(message.id);
      case 'note':
        this.#children.note(message.id, message.endAtLeast);
        return this.#tellStore(message.id, 'update');
      case 'close-input':
        this.#children.closeInput(message.id);
        return this.#tellStore(message.id, 'put');
      case 'shutdown':
        return void this.#shutdown();
      case 'ask':
        return this.#emit({ type: 'here' });
      case 'pong':
        return;
      case 'hand':
        this.#children.take(message.session, fds);
        return this.#missed.got(message.session.run.id);
      case 'handed':
        return this.#missed.whenComplete(() => {
          this.#isTakingOver = false;
          if (this.#keeper) this.#keeper.isReady = true; // the program has served before
          this.#fillStore();
          this.#emit({ type: 'held' });
        });
      case 'missed': {
        const held = this.#children.get(message.id);
        if (held) this.#emit({ type: 'session', session: held.session }, held.fds);
        return;
      }
      case 'commit':
        this.#isStandby = false;
        if (this.#store) this.#fillStore();
        else this.#startStore();
        return this.#gateway.resume();
      case 'gateway':
        return this.#gateway.want(message.options);
      case 'sender':
        return this.#gateway.wantSender();
      case 'hand-over':
        return; // main handles the first message to a new holder
    }
  }

  #keeperServes(): void {
    if (this.#keeper) this.#keeper.isReady = true;
    this.#failures = 0;
    this.#trouble.clear();
    if (this.#trial === null) return;
    clearTimeout(this.#trial.timer);
    this.#trial = { ...this.#trial, timer: setTimeout(() => this.#endTrial(), TRIAL_MS) };
  }

  /** Starts the next keeper beside the present one, which exits only if that start succeeds. */
  async #prepareSuccessor(asked: ProgramSource | undefined, back: string | undefined): Promise<void> {
    let problem: string | null = null;
    let program: PreparedProgram | null = null;
    this.#successor?.process.kill('SIGKILL');
    try {
      const { state } = this.#daemon.home;
      program = back === undefined ? this.#programs.prepare(state, asked) : this.#programs.prepareBefore(state, back);
      if (program === null) throw new Error('there is no program before this one');
      this.#successor = await startSuccessor({
        watch: this.#options.watch,
        logFd: this.#options.log.fd,
        program,
        onMessage: (message, fds) => this.handle(message, fds),
        onFdsLost: (message) => this.fdsLost(message),
        onEnd: (pid, why) => this.#successorGone(pid, why),
      });
    } catch (error) {
      if (program) this.#programs.discard(program);
      problem = (error as Error).message;
      this.#options.log.say(`the next keeper could not be started, so the present one stays: ${problem}`, 'warn');
    }
    this.#emit({ type: 'successor', problem });
  }

  #successorGone(pid: number, why: string): void {
    if (this.#successor?.process.pid === pid) {
      this.#programs.discard(this.#successor.program);
      this.#successor = null;
    } else if (this.#keeper?.pid === pid) this.keeperGone(why);
  }

  /** Asks for a session again, because there was no room for its fds. */
  fdsLost(message: FromKeeper): void {
    if (message.type === 'hand') this.#missed.miss(message.session.run.id);
  }

  #spawn(run: Parameters<ChildTable['spawn']>[0]): void {
    // Sent again after a broken link: the session is already running, so it is only reported again.
    const known = this.#children.get(run.id);
    if (known) return this.#emit({ type: 'session', session: known.session }, known.fds);
    const { limit, used } = openFiles();
    if (limit - used < FILES_TO_START_A_CHILD)
      return this.#emit({ type: 'spawn-failed', id: run.id, code: 'EMFILE', syscall: 'spawn' });
    try {
      const held = this.#children.spawn(run, Date.now());
      this.#store?.put(held);
      this.#emit({ type: 'session', session: held.session }, held.fds);
    } catch (error) {
      const { code = 'UNKNOWN', syscall = 'spawn' } = error as NodeJS.ErrnoException;
      this.#emit({ type: 'spawn-failed', id: run.id, code, syscall });
    }
  }

  #tellStore(id: string, how: 'put' | 'update'): void {
    const held = this.#children.get(id);
    if (held) this.#store?.[how](held);
  }

  #emit(message: FromHolder, fds: readonly number[] = []): void {
    this.#keeper?.link.send(message, fds);
  }

  #keeperExited(child: ChildProcess, code: number | null, signal: string | null): void {
    if (this.#keeper?.pid === child.pid) this.keeperGone(signal ? `killed by ${signal}` : `it exited with ${code}`);
  }

  keeperGone(why: string): void {
    const keeper = this.#keeper;
    if (!keeper || this.#isShuttingDown) return;
    if (this.#isStandby) process.exit(0); // the holder beside us has all sessions, and starts the next keeper
    if (this.#isTakingOver && this.#store?.isThere === true) {
      this.#options.log.say(`keeper ${keeper.pid} is gone before it had handed everything over; the fd store has it`);
      process.exit(0); // the store's last link ends with this process, and it starts a holder
    }
    this.#keeper = null;
    keeper.health.stop();
    this.#missed.clear();
    keeper.link.close();
    // A keeper that hangs, or has closed its link, must not run beside its successor.
    const gone = killAndWait(this.#options.watch, keeper.pidfd, () =>
      this.#options.log.say(
        `keeper ${keeper.pid} was killed and is still there; its successor waits for its end`,
        'warn',
      ),
    );
    this.#othersGone = Promise.all([this.#othersGone, gone]);
    this.#backoffMs = performance.now() - keeper.startedAt > HEALTHY_MS ? 0 : this.#backoffMs;
    const who = keeper.pid === 0 ? 'the keeper before this holder' : `keeper ${keeper.pid}`; // the fd store does not know its pid
    this.#options.log.say(`${who} is gone: ${why}; ${this.#children.size} sessions are safe`, 'warn');
    if (this.#successor) return this.#promote(this.#successor);
    if (this.#trial?.pid === keeper.pid)
      this.#goBack(`its keeper ended: ${why} (${this.#daemon.home.daemonLog} has its errors)`);
    else if (!keeper.isReady) this.#failed(why);
    this.#restartKeeper();
  }

  #failed(why: string): void {
    const { node, path } = this.#program('keeper.mjs');
    this.#failures++;
    const { daemonLog } = this.#daemon.home;
    void loadProblem(node, path).then((problem) =>
      this.#trouble.report(
        problem === null
          ? `the keeper ended before it was ready (${why}), and ${daemonLog} has its errors`
          : `the keeper cannot be started: ${problem}`,
      ),
    );
  }

  #restartKeeper(): void {
    const waitMs = this.#backoffMs;
    this.#backoffMs = Math.min(BACKOFF_MS_MAX, Math.max(BACKOFF_MS_FIRST, waitMs * 1.5));
    if (waitMs < BACKOFF_MS_FIRST * 2) this.startKeeper();
    else setTimeout(() => this.startKeeper(), waitMs);
  }

  async #shutdown(): Promise<never> {
    this.#isShuttingDown = true;
    this.#store?.stop();
    await this.#gateway.end();
    this.#removeTraces();
    this.#children[Symbol.dispose]();
    this.#options.log.say('stopped on request');
    process.exit(0);
  }

  #removeTraces(): void {
    const { home, sockets = [home.socket] } = this.#daemon;
    for (const path of [...sockets, home.address]) {
      try {
        removeIfThere(path);
      } catch (error) {
        this.#options.log.say(`${path} could not be removed: ${(error as Error).message}`, 'warn');
      }
    }
    sockets.forEach((socket) => removeShortFolder(dirname(socket)));
  }
}
