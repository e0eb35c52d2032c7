/**
 * The keeper's side of the link to the holder. When a holder dies or hangs, the keeper starts a new one and hands it
 * every fd; after that, the keeper may be killed again. Keeps LIFE-1, LIFE-2 and LIFE-3, with the holder's `holder.ts`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { native } from '@spool/native';
import { FdLink } from '@spool/native/fd-link';
import type { FdWatch } from '@spool/native/fd-watch';
import { openProcess, ownStartTicks } from '@spool/native/process-identity';
import { MissedSessions } from '@spool/native/missed-sessions';
import { SpareFds } from '@spool/native/spare-fds';
import { PeerHealth } from '@spool/native/peer-health';
import { killAndWait } from '@spool/native/when-gone';
import { programPath } from '@spool/native/program-path';
import {
  type DaemonRecord,
  type FromHolder,
  type FromKeeper,
  type HeldSession,
  programFolder,
  type ProgramSource,
  SpoolError,
  VERSION,
} from '@spool/protocol';

const BACKOFF_MS_MAX = 2000;

/** The time after which a holder counts as healthy. */
const HEALTHY_MS = 10_000;
/** The number of holders in a row that were not healthy, after which the next ones are started from the program before. */
const FAILURES_MAX = 2;

/** The time limit for a new holder to hold every fd; after it, the new holder is abandoned, and the present one stays. */
const RENEW_MS_MAX = 10_000;

export interface HolderLinkOptions {
  readonly watch: FdWatch;
  /** The fd of the daemon's log. */
  readonly logFd: number;
  /** Returns the Node that runs the next holder. */
  node(): string;
  onMessage(message: FromHolder, fds: readonly number[]): void;
  /** Called when the daemon listens on other fds; `isNewStart`: its sessions are in another folder too. */
  onMoved(isNewStart: boolean): void;
  /** Called when the holder was replaced: requests that the old one did not answer must be sent again. */
  onReplaced(): void;
  /** Returns all sessions and fds that a new holder must hold. */
  handOver(): Iterable<{ session: HeldSession; fds: readonly number[] }>;
  warn(sentence: string): void;
}

/** A holder that was started beside the present one, to replace it. */
interface NextHolder {
  readonly link: FdLink<FromHolder, FromKeeper>;
  readonly process: ChildProcess;
  /** Resolves with null once it holds every fd, or with the reason if it died before. */
  readonly held: PromiseWithResolvers<string | null>;
}

export class HolderLink {
  readonly #options: HolderLinkOptions;
  #link: FdLink<FromHolder, FromKeeper>;
  #daemon: { readonly record: DaemonRecord; readonly fds: readonly number[] } | null = null;
  #holder: { readonly pid: number; readonly pidfd: number } | null = null;
  #settled = Promise.withResolvers<void>();
  readonly #asked: ((answered: boolean) => void)[] = [];
  readonly #successors: PromiseWithResolvers<string | null>[] = [];
  #health: PeerHealth | null = null;
  /** The process of a new holder until it has sent its first message. */
  #starting: ChildProcess | null = null;
  readonly #spare = new SpareFds();
  readonly #missed = new MissedSessions(this.#spare, (id) => this.#link.send({ type: 'missed', id }));
  #backoffMs = 0;
  #holderSince = 0;
  #failures = 0;
  #count = 1;
  #isEnding = false;
  /** Whether all sessions of the first holder were received. */
  #isWhole = false;
  #next: NextHolder | null = null;
  /** Messages for a new holder that wait until it holds every fd; it would not understand them earlier. */
  #early: { readonly message: FromKeeper; readonly fds: readonly number[] }[] | null = null;
  /** Resolves when no earlier holder can act any more. */
  #othersGone: Promise<unknown> = Promise.resolve();

  constructor(socket: number, options: HolderLinkOptions) {
    this.#options = options;
    this.#link = this.#open(socket);
  }

  /** Sends the first message: this keeper has loaded. */
  sayReady(): void {
    this.#link.send({ type: 'ready', version: VERSION, saysServing: true });
  }

  /** Resolves once another keeper has loaded beside this one; rejects with the reason if it cannot be started. */
  async prepareSuccessor(program?: ProgramSource, back?: string): Promise<void> {
    if (!this.#daemon?.record.program) return; // an older holder, which starts a successor when this keeper is gone
    const answer = Promise.withResolvers<string | null>();
    this.#successors.push(answer);
    this.send({ type: 'succeed', program, back });
    const problem = await answer.promise;
    if (problem !== null) throw new SpoolError('SUCCESSOR_REFUSED', { reason: problem });
  }

  get daemon(): DaemonRecord {
    return this.#daemon!.record;
  }

  /** The fds on which the daemon listens; see DaemonRecord for their order. */
  get listenFds(): readonly number[] {
    const { record, fds } = this.#daemon!;
    return [fds[0]!, ...fds.slice(2, 1 + (record.sockets?.length ?? 1))];
  }

  /** The number of holders that this keeper has had, which identifies the present one. */
  get count(): number {
    return this.#count;
  }

  get holderPid(): number {
    return this.#holder?.pid ?? 0;
  }

  /** Resolves once a living holder holds every fd, so that either process may die. */
  async settled(): Promise<void> {
    for (;;) {
      const { promise } = this.#settled;
      await promise;
      if (promise !== this.#settled.promise) continue; // the holder died before this request's turn
      const answer = new Promise<boolean>((answered) => this.#asked.push(answered));
      this.#link.send({ type: 'ask' });
      // A holder that died a moment ago does not answer; its successor will.
      if (await answer) return;
    }
  }

  /** Notes that the holder is about to exit on request, so that the keeper exits with it. */
  expectEnd(): void {
    this.#isEnding = true;
  }

  send(message: FromKeeper, fds: readonly number[] = []): void {
    if (this.#early) return void this.#early.push({ message, fds });
    this.#link.send(message, fds);
    this.#next?.link.send(message, fds);
  }

  /**
   * Replaces a healthy holder by one that runs the code now on disk. The next holder gets every fd before the present one exits, so
   * the keeper is never the only process that has them. No process may be spawned meanwhile.
   */
  async renew(): Promise<void> {
    await this.settled();
    if (this.#next) throw new SpoolError('INTERNAL', { reason: 'the holder is being replaced already' });
    const started = this.#spawnHolder();
    if (!started) throw new SpoolError('TOO_MANY_FILES');
    const { socket, process: child } = started;
    const next: NextHolder = { link: this.#open(socket), process: child, held: Promise.withResolvers() };
    this.#next = next;
    this.#handAll(next.link, true);
    let why = 'it closed its link';
    child.on('exit', (code, signal) => (why = signal ? `killed by ${signal}` : `it exited with ${code}`));
    const timer = setTimeout(() => {
      next.held.resolve(`it did not hold every session within ${RENEW_MS_MAX} ms`);
      child.kill('SIGKILL');
    }, RENEW_MS_MAX);
    const problem = await next.held.promise;
    clearTimeout(timer);
    if (problem !== null) throw new SpoolError('SUCCESSOR_REFUSED', { reason: `the next holder: ${problem}` });
    if (this.#next === next) this.#changeTo(next);
    await this.#othersGone;
    await this.settled();
    if (this.holderPid !== child.pid) throw new SpoolError('SUCCESSOR_REFUSED', { reason: `the next holder: ${why}` });
  }

  /**
   * Kills the old holder before closing its link: it would take the closed link for the keeper's death, and start
   * another keeper.
   */
  #changeTo(next: NextHolder): void {
    const link = this.#link;
    const holder = this.#holder!;
    this.#options.warn(`holder ${holder.pid} is replaced by ${next.process.pid}, on request`);
    this.#next = null;
    this.#link = next.link;
    this.#count++;
    this.#isHolder(next.process.pid!);
    this.#kill(holder);
    next.link.send({ type: 'commit' }); // from here on the old holder executes nothing
    for (const answered of this.#asked.splice(0)) answered(false);
    void this.#othersGone.then(() => link.close());
    this.#options.onReplaced();
  }

  /** Handles messages that the next holder sends before it takes over. */
  #hearNext(next: NextHolder, message: FromHolder, fds: readonly number[]): void {
    if (message.type === 'welcome') fds.forEach((fd) => native.close(fd));
    else if (message.type === 'held') next.held.resolve(null);
    else if (message.type === 'ping') next.link.send({ type: 'pong' });
    else if (message.type === 'missed') this.#handAgain(next.link, message.id);
    else if (message.type === 'exit') this.#options.onMessage(message, fds); // another keeper may have reported it first
  }

  #open(socket: number): FdLink<FromHolder, FromKeeper> {
    const link: FdLink<FromHolder, FromKeeper> = new FdLink(this.#options.watch, socket, {
      onMessage: (message, fds) => {
        if (this.#next?.link === link) this.#hearNext(this.#next, message, fds);
        else if (this.#link === link) this.#handle(message, fds);
        else fds.forEach((fd) => native.close(fd));
      },
      onFdsLost: (message) => {
        if (message.type === 'session') this.#missed.miss(message.session.run.id);
        // The sockets did not arrive: the holder will try again with another keeper.
        else if (!this.#daemon || message.type === 'moved') process.exit(1);
      },
      onEnd: () => {
        if (this.#next?.link === link) {
          this.#nextGone(this.#next);
        } else if (this.#link === link) this.#holderGone('it closed its link');
      },
    });
    return link;
  }

  #handle(message: FromHolder, fds: readonly number[]): void {
    this.#health?.heard();
    switch (message.type) {
      case 'welcome':
        this.#starting = null;
        this.#isHolder(message.holderPid, message.holderStart);
        this.#health?.heard();
        // A new holder only sends back the fds that it was given.
        if (this.#daemon) fds.forEach((fd) => native.close(fd));
        else this.#daemon = { record: message.daemon, fds };
        break;
      case 'moved':
        this.#daemon!.fds.forEach((fd) => {
          this.#options.watch.unwatch(fd);
          native.close(fd);
        });
        this.#daemon = { record: message.daemon, fds };
        return this.#options.onMoved(message.isNewStart);
      case 'ping':
        this.#link.send({ type: 'pong' });
        return;
      case 'here':
        for (const answered of this.#asked.splice(0)) answered(true);
        return;
      case 'successor':
        for (const { resolve } of this.#successors.splice(0)) resolve(message.problem);
        return;
      case 'session':
        this.#missed.got(message.session.run.id);
        break;
      case 'missed':
        return this.#handAgain(this.#link, message.id);
      case 'held':
        this.#backoffMs = 0;
        this.#settled.resolve();
        this.#options.onReplaced();
        break;
      case 'adopted':
        this.#backoffMs = 0;
        // A missing session would be marked as lost.
        this.#missed.whenComplete(() => {
          this.#isWhole = true;
          this.#settled.resolve();
          this.#options.onMessage(message, fds);
        });
        return;
    }
    this.#options.onMessage(message, fds);
  }

  /** Handles the end of a next holder before it has taken over; its exit may be known a moment later. */
  #nextGone({ process: child, held }: NextHolder): void {
    this.#next = null;
    const gone = (): void => {
      const { exitCode, signalCode } = child;
      held.resolve(signalCode ? `killed by ${signalCode}` : `it exited with ${exitCode}`);
    };
    if (child.exitCode === null && child.signalCode === null) child.once('exit', gone);
    else gone();
    child.kill('SIGKILL'); // it has only closed its link
  }

  #isHolder(pid: number, startTicks?: string): void {
    this.#watchHealth(pid);
    this.#holderSince = performance.now();
    this.#holder = { pid, pidfd: this.#spare.use(() => openProcess(pid, startTicks)) };
  }

  #kill({ pid, pidfd }: { readonly pid: number; readonly pidfd: number }): void {
    const gone = killAndWait(this.#options.watch, pidfd, () =>
      this.#options.warn(`holder ${pid} was killed and is still there; its successor waits for its end`),
    );
    this.#othersGone = Promise.all([this.#othersGone, gone]);
  }

  /** Watches the holder's pings, which show that it is alive; when they stop, the keeper pings it. */
  #watchHealth(pid: number): void {
    this.#health?.stop();
    this.#health = new PeerHealth({
      pid,
      ask: () => this.#link.send({ type: 'ask' }),
      onHung: () => this.#holderGone('it does not answer'),
    });
  }

  #holderGone(why: string): void {
    // The holder was asked to end, or died before it sent anything: there are no sessions to keep.
    if (this.#isEnding || !this.#daemon) {
      // The keeper is the last process to exit. A paused fd store may keep copies of the locks for any length of time.
      this.#daemon?.fds.forEach((fd) => native.unlock(fd));
      process.exit(0);
    }
    const { holderPid } = this;
    if (!this.#isWhole && this.#hasStore) {
      this.#options.warn(`holder ${holderPid} is gone before it had handed everything over; the fd store has it`);
      process.exit(0); // then the store's last link ends, and it starts a holder
    }
    this.#options.warn(`holder ${holderPid} is gone: ${why}; starting another`);
    this.#failures = performance.now() - this.#holderSince > HEALTHY_MS ? 0 : this.#failures + 1;
    this.#health?.stop();
    this.#health = null;
    this.#missed.clear();
    this.#link.close();
    this.#starting?.kill('SIGKILL');
    this.#starting = null;
    if (this.#holder) {
      // A hung holder must not wake up beside its successor.
      this.#kill(this.#holder);
      this.#holder = null;
    }
    // There must not be two holders waiting to take over.
    if (this.#next) {
      this.#next.process.kill('SIGKILL');
      this.#next.held.resolve('the present holder ended first');
      this.#next = null;
    }
    this.#settled.resolve();
    this.#settled = Promise.withResolvers();
    for (const answered of this.#asked.splice(0)) answered(false);
    for (const { resolve } of this.#successors.splice(0)) resolve('the holder is gone; try again');
    const waitMs = this.#backoffMs;
    this.#backoffMs = Math.min(BACKOFF_MS_MAX, Math.max(20, waitMs * 2));
    if (waitMs === 0) this.#startHolder();
    else setTimeout(() => this.#startHolder(), waitMs);
  }

  /** Whether there is an fd store. The store never sends data, so its link becomes readable only when it ends. */
  get #hasStore(): boolean {
    const { record, fds } = this.#daemon!;
    return record.hasStore === true && !native.isReadable(fds.at(-1)!);
  }

  /** Returns null if there are not even fds for a socket pair. The caller then retries, because fds are safe only with a holder. */
  #pair(): readonly [number, number] | null {
    try {
      return native.socketPair();
    } catch (error) {
      this.#options.warn(`cannot start a holder now: ${(error as Error).message}`);
      return null;
    }
  }

  /** Starts a new holder, which loads while the old one exits; then it gets every fd. */
  #startHolder(): void {
    const started = this.#spawnHolder();
    if (!started) return void setTimeout(() => this.#startHolder(), BACKOFF_MS_MAX);
    const { socket, process: child } = started;
    const link = this.#open(socket);
    this.#link = link;
    this.#count++;
    this.#starting = child;
    this.#early = [];
    void this.#othersGone.then(() => {
      if (this.#link !== link) return;
      // A holder that hangs before its first message is known only by its pid.
      if (child.pid !== undefined) this.#watchHealth(child.pid);
      this.#handAll(link, false);
      const early = this.#early ?? [];
      this.#early = null;
      for (const { message, fds } of early) this.send(message, fds);
    });
  }

  #spawnHolder(): { readonly socket: number; readonly process: ChildProcess } | null {
    this.#spare.release(); // starting a process needs fds
    const [ours, theirs] = this.#pair() ?? [];
    if (ours === undefined || theirs === undefined) return null;
    const child = spawn(this.#options.node(), [this.#holderProgram(), '--link-fd', '3'], {
      argv0: 'node',
      stdio: ['ignore', 'ignore', this.#options.logFd, theirs],
      detached: true,
      cwd: '/',
    });
    native.close(theirs);
    child.on('error', (error) => this.#options.warn(`the holder could not be started: ${error.message}`));
    child.unref();
    return { socket: ours, process: child };
  }

  /** Returns the path of the holder's program; if this program fails again and again, that of the program before. */
  #holderProgram(): string {
    const { program, home } = this.#daemon!.record;
    const before = program?.before ? `${programFolder(home.state)}/${program.before}/holder.mjs` : null;
    const useBefore = this.#failures >= FAILURES_MAX && before !== null && existsSync(before);
    return useBefore ? before : programPath('holder.mjs');
  }

  #handAll(link: FdLink<FromHolder, FromKeeper>, isStandby: boolean): void {
    const { record, fds } = this.#daemon!;
    link.send(
      { type: 'hand-over', keeperPid: process.pid, keeperStart: ownStartTicks(), daemon: record, isStandby },
      fds,
    );
    for (const { session, fds: held } of this.#options.handOver()) link.send({ type: 'hand', session }, held);
    link.send({ type: 'handed' });
  }

  #handAgain(link: FdLink<FromHolder, FromKeeper>, id: string): void {
    for (const { session, fds } of this.#options.handOver())
      if (session.run.id === id) link.send({ type: 'hand', session }, fds);
  }
}
