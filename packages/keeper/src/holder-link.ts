/**
 * The keeper's side of the link to the holder. A holder that dies or hangs is replaced: the keeper starts a new one and
 * hands it every fd, so that it is again the keeper that may be killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { native } from '@spool/native';
import { FdLink } from '@spool/native/fd-link';
import type { FdWatch } from '@spool/native/fd-watch';
import { openProcess, ownStartTicks, signalAndClose } from '@spool/native/process-identity';
import { MissedSessions } from '@spool/native/missed-sessions';
import { SpareFds } from '@spool/native/spare-fds';
import { PeerHealth } from '@spool/native/peer-health';
import type { DaemonRecord, FromHolder, FromKeeper, HeldSession } from '@spool/protocol';

const BACKOFF_MS_MAX = 2000;

export interface HolderLinkOptions {
  readonly watch: FdWatch;
  /** Where the daemon's processes write what they have to say. */
  readonly logFd: number;
  onMessage(message: FromHolder, fds: readonly number[]): void;
  /** The holder was replaced; whatever was asked of the old one and not answered must be asked again. */
  onReplaced(): void;
  /** Everything that a new holder must hold. */
  handOver(): Iterable<{ session: HeldSession; fds: readonly number[] }>;
  complain(sentence: string): void;
}

export class HolderLink {
  readonly #options: HolderLinkOptions;
  #link: FdLink<FromHolder, FromKeeper>;
  #daemon: { readonly record: DaemonRecord; readonly fds: readonly number[] } | null = null;
  #holder: { readonly pid: number; readonly pidfd: number } | null = null;
  #settled = Promise.withResolvers<void>();
  readonly #asked: ((answered: boolean) => void)[] = [];
  #health: PeerHealth | null = null;
  /** Until it has said its first word. */
  #starting: ChildProcess | null = null;
  readonly #spare = new SpareFds();
  readonly #missed = new MissedSessions(this.#spare, (id) => this.#link.send({ type: 'missed', id }));
  #backoffMs = 0;
  #count = 1;
  #isEnding = false;

  constructor(socket: number, options: HolderLinkOptions) {
    this.#options = options;
    this.#link = this.#open(socket);
  }

  get daemon(): DaemonRecord {
    return this.#daemon!.record;
  }

  /** See DaemonRecord for the order of the fds. */
  get listenFds(): readonly number[] {
    const { record, fds } = this.#daemon!;
    return [fds[0]!, ...fds.slice(2, 1 + (record.sockets?.length ?? 1))];
  }

  /** How many holders this keeper has had: what is sent now goes to this one. */
  get count(): number {
    return this.#count;
  }

  get holderPid(): number {
    return this.#holder?.pid ?? 0;
  }

  /** Resolves when a holder that is alive has everything: when one process more may die. */
  async settled(): Promise<void> {
    do {
      await this.#settled.promise;
      this.#link.send({ type: 'ask' });
      // A holder that died a moment ago does not answer; its successor will.
    } while (!(await new Promise<boolean>((answered) => this.#asked.push(answered))));
  }

  /** The holder is about to exit because it was asked to: so do we, then. */
  expectEnd(): void {
    this.#isEnding = true;
  }

  send(message: FromKeeper, fds: readonly number[] = []): void {
    this.#link.send(message, fds);
  }

  #open(socket: number): FdLink<FromHolder, FromKeeper> {
    return new FdLink<FromHolder, FromKeeper>(this.#options.watch, socket, {
      onMessage: (message, fds) => this.#hear(message, fds),
      onFdsLost: (message) => {
        if (message.type === 'session') this.#missed.miss(message.session.run.id);
        else if (!this.#daemon) process.exit(1); // not even the socket: the holder will try again with another keeper
      },
      onEnd: () => this.#holderGone('it closed its link'),
    });
  }

  #hear(message: FromHolder, fds: readonly number[]): void {
    this.#health?.heard();
    switch (message.type) {
      case 'welcome':
        this.#watchHealth(message.holderPid);
        this.#health?.heard();
        this.#starting = null;
        this.#holder = {
          pid: message.holderPid,
          pidfd: this.#spare.use(() => openProcess(message.holderPid, message.holderStart)),
        };
        // A new holder only repeats what it was given.
        if (this.#daemon) fds.forEach((fd) => native.close(fd));
        else this.#daemon = { record: message.daemon, fds };
        break;
      case 'ping':
        this.#link.send({ type: 'pong' });
        return;
      case 'here':
        for (const answered of this.#asked.splice(0)) answered(true);
        return;
      case 'session':
        this.#missed.got(message.session.run.id);
        break;
      case 'missed':
        for (const { session, fds: held } of this.#options.handOver())
          if (session.run.id === message.id) this.#link.send({ type: 'hand', session }, held);
        return;
      case 'held':
        this.#backoffMs = 0;
        this.#settled.resolve();
        this.#options.onReplaced();
        break;
      case 'adopted':
        this.#backoffMs = 0;
        // A session that is missing would be taken for a lost one.
        this.#missed.whenComplete(() => {
          this.#settled.resolve();
          this.#options.onMessage(message, fds);
        });
        return;
    }
    this.#options.onMessage(message, fds);
  }

  /** Its pings tell that it is well; when they stay away, it is asked. */
  #watchHealth(pid: number): void {
    this.#health?.stop();
    this.#health = new PeerHealth({
      pid,
      ask: () => this.#link.send({ type: 'ask' }),
      onHung: () => this.#holderGone('it does not answer'),
    });
  }

  #holderGone(why: string): void {
    // Asked to end; or it died before it had told us anything, and there is nothing to keep.
    if (this.#isEnding || !this.#daemon) process.exit(0);
    const { holderPid } = this;
    this.#options.complain(`holder ${holderPid} is gone: ${why}; starting another`);
    this.#health?.stop();
    this.#health = null;
    this.#missed.clear();
    this.#link.close();
    this.#starting?.kill('SIGKILL');
    this.#starting = null;
    if (this.#holder) {
      // One that hangs must not wake up beside its successor.
      signalAndClose(this.#holder.pidfd, ['SIGKILL']);
      this.#holder = null;
    }
    this.#settled.resolve();
    this.#settled = Promise.withResolvers();
    for (const answered of this.#asked.splice(0)) answered(false);
    const waitMs = this.#backoffMs;
    this.#backoffMs = Math.min(BACKOFF_MS_MAX, Math.max(20, waitMs * 2));
    if (waitMs === 0) this.#startHolder();
    else setTimeout(() => this.#startHolder(), waitMs);
  }

  /** Null when not even that can be had: then it is tried again, for without a holder nothing is safe. */
  #pair(): readonly [number, number] | null {
    try {
      return native.socketPair();
    } catch (error) {
      this.#options.complain(`no holder can be started now: ${(error as Error).message}`);
      setTimeout(() => this.#startHolder(), BACKOFF_MS_MAX);
      return null;
    }
  }

  #startHolder(): void {
    this.#spare.release(); // a process cannot be started without fds
    const [ours, theirs] = this.#pair() ?? [];
    if (ours === undefined || theirs === undefined) return;
    const child = spawn(process.execPath, [siblingProgram('holder.mjs'), '--link-fd', '3'], {
      stdio: ['ignore', 'ignore', this.#options.logFd, theirs],
      detached: true,
      cwd: '/',
    });
    native.close(theirs);
    child.on('error', (error) => this.#options.complain(`the holder could not be started: ${error.message}`));
    child.unref();
    // One that hangs before its first word has only its pid.
    if (child.pid !== undefined) this.#watchHealth(child.pid);
    this.#starting = child;
    this.#link = this.#open(ours);
    this.#count++;
    const { record, fds } = this.#daemon!;
    this.#link.send({ type: 'hand-over', keeperPid: process.pid, keeperStart: ownStartTicks(), daemon: record }, fds);
    for (const { session, fds: held } of this.#options.handOver()) this.#link.send({ type: 'hand', session }, held);
    this.#link.send({ type: 'handed' });
  }
}

/** Our programs lie beside each other in `dist/`. */
function siblingProgram(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}
