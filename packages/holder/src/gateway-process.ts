/**
 * Keeps a gateway running, once a client has asked for one. The holder contains no network code: it starts a process, sends it
 * the place of the daemon, and starts another when it ends or hangs. Keeps DOOR-10 and DOOR-23.
 *
 * The link between them ends with the holder, however the holder ends, and then the gateway ends too. The requested options are
 * in a file, so that the next holder of the same daemon continues with them; another daemon does not. The holder also keeps the
 * socket that the gateway listens on, and passes it to the next gateway: while no gateway runs, clients wait at the socket, and
 * no other program can take its port.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { native } from '@spool/native';
import { FdLink } from '@spool/native/fd-link';
import type { FdWatch } from '@spool/native/fd-watch';
import { PeerHealth } from '@spool/native/peer-health';
import {
  type DaemonRecord,
  type ListenAddress,
  doorsFolder,
  type GatewayListens,
  type GatewayPing,
  type GatewayPong,
  type GatewayStart,
  joinsFile,
  nodesFile,
  type WantedGateway,
} from '@spool/protocol';
import type { DaemonLog } from './daemon-log.ts';
import type { RunnableProgram } from './program-files.ts';

/**
 * The lifetime after which a gateway counts as healthy: it starts in half of this time. The next gateway after a healthy one is
 * started at once.
 */
const HEALTHY_MS = 1500;
const BACKOFF_MS_FIRST = 50;
const BACKOFF_MS_MAX = 5000;

/** The interval of pings, because a gateway sends nothing by itself; the cost on an idle machine is small. */
const QUIET_MS = 10_000;

/** Flags of a gateway, which save 8 of 44 MB of private memory (decision 283). */
const FLAGS = ['--optimize-for-size', '--v8-pool-size=1'];

/** The time limit for a gateway to end after the request. */
const END_MS_MAX = 1000;

export interface GatewayProcessOptions {
  readonly watch: FdWatch;
  readonly log: DaemonLog;
  daemon(): DaemonRecord;
  /** A program of the daemon, and the Node that runs it. */
  program(name: string): RunnableProgram;
  /** The fd of the socket of `daemon().door`. */
  doorFd(): number | null;
  /** Holds this socket, on which a gateway listens; null when no gateway will listen on it any more. */
  keepDoor(door: ListenAddress | null, fd: number | null): void;
}

interface RequestedGateway {
  readonly daemonStartedAt: number;
  readonly options: WantedGateway;
}

interface RunningGateway {
  readonly process: ChildProcess;
  readonly link: FdLink<GatewayListens | GatewayPong, GatewayStart | GatewayPing>;
  readonly health: PeerHealth;
  readonly startedAt: number;
}

export class GatewayProcess {
  readonly #owner: GatewayProcessOptions;
  #options: WantedGateway | null = null;
  #running: RunningGateway | null = null;
  #timer: NodeJS.Timeout | null = null;
  #backoffMs = 0;

  constructor(owner: GatewayProcessOptions) {
    this.#owner = owner;
  }

  /**
   * Continues with the options that were requested from the last holder of this daemon; with nodes or joined machines, even with
   * those of the last daemon, because other machines wait for this one.
   */
  resume(): void {
    if (this.#options !== null) return;
    const wanted = this.#read();
    if (wanted === null) return;
    if (wanted.daemonStartedAt !== this.#owner.daemon().startedAt && !this.#hasMachines()) return;
    this.#options = wanted.options;
    this.#start();
  }

  /** Starts a gateway with these options; one that runs with the same options continues. Undefined accepts any options. */
  want(asked: WantedGateway | null | undefined): void {
    const options = asked === undefined ? (hasDoor(this.#options) ? this.#options : {}) : asked;
    const isSame = JSON.stringify(options) === JSON.stringify(this.#options);
    this.#options = options;
    this.#write(options);
    if (!hasDoor(options)) this.#owner.keepDoor(null, null);
    if (isSame && (this.#running !== null || options === null)) return;
    this.#backoffMs = 0;
    if (this.#running) return end(this.#running); // the next one starts when the present one has ended
    if (options) this.#start();
  }

  /** Starts a sender of notices; a running gateway already is one. */
  wantSender(): void {
    if (this.#options === null) this.want('sender');
  }

  /** Ends the gateway, which announces it to other machines: the daemon ends. */
  async end(): Promise<void> {
    const mustUndo = typeof this.#options === 'object' && this.#options?.tailscale === true;
    this.#options = null;
    if (this.#running === null) return;
    const { process: child } = this.#running;
    const isGone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await Promise.race([isGone, pause(END_MS_MAX)]);
    // A gateway that has something to undo outside of the daemon ends by itself when its link ends.
    if (!mustUndo) child.kill('SIGKILL');
  }

  #start(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const pair = this.#pair();
    if (pair === null) return;
    const [ours, theirs] = pair;
    const { node, path } = this.#owner.program('gateway.mjs');
    const child = spawn(node, [...FLAGS, path, '--link-fd', '3'], {
      argv0: 'node',
      stdio: ['ignore', 'ignore', this.#owner.log.fd, theirs],
      detached: true,
      cwd: '/',
    });
    native.close(theirs);
    const link: RunningGateway['link'] = new FdLink(this.#owner.watch, ours, {
      onMessage: (message, [fd]) => {
        health.heard();
        if ('door' in message) this.#listens(running, message.door, fd!);
      },
      onFdsLost: () => {}, // there is no room for one more fd: the next gateway searches for the port again
      onEnd: () => {}, // `exit` follows
    });
    const health = new PeerHealth({
      pid: child.pid ?? 0,
      quietMs: QUIET_MS,
      ask: () => link.send({ ping: true }),
      onHung: () => child.kill('SIGKILL'), // requests wait at the socket for the next gateway
    });
    const running: RunningGateway = { process: child, link, health, startedAt: performance.now() };
    this.#running = running;
    const { home, sockets = [home.socket], door } = this.#owner.daemon();
    const fd = this.#owner.doorFd();
    const start = { home, sockets, options: this.#options! };
    link.send(fd === null ? start : { ...start, door }, fd === null ? [] : [fd]);
    child.on('error', (error) => this.#gone(running, `it could not be started: ${error.message}`));
    child.on('exit', (code, signal) => this.#gone(running, signal ? `killed by ${signal}` : `it exited with ${code}`));
  }

  #pair(): readonly [number, number] | null {
    try {
      return native.socketPair();
    } catch (error) {
      this.#owner.log.say(`cannot start a gateway now: ${(error as Error).message}`, 'warn');
      this.#timer = setTimeout(() => this.#options && this.#start(), BACKOFF_MS_MAX);
      return null;
    }
  }

  #listens(from: RunningGateway, door: ListenAddress, fd: number): void {
    if (this.#running === from && hasDoor(this.#options)) this.#owner.keepDoor(door, fd);
    else native.close(fd); // it is about to end
  }

  #gone(gone: RunningGateway, why: string): void {
    gone.health.stop();
    gone.link.close();
    if (this.#running !== gone) return;
    this.#running = null;
    if (this.#options === null) return;
    const wasHealthy = performance.now() - gone.startedAt > HEALTHY_MS;
    const waitMs = wasHealthy ? 0 : this.#backoffMs;
    this.#backoffMs = wasHealthy ? 0 : Math.min(BACKOFF_MS_MAX, Math.max(BACKOFF_MS_FIRST, waitMs * 2));
    this.#owner.log.say(`the gateway is gone: ${why}; starting another`, 'warn');
    if (waitMs === 0) this.#start();
    else this.#timer = setTimeout(() => this.#options && this.#start(), waitMs);
  }

  #hasMachines(): boolean {
    const { home } = this.#owner.daemon();
    return existsSync(nodesFile(home)) || existsSync(joinsFile(home));
  }

  get #file(): string {
    return `${doorsFolder(this.#owner.daemon().home)}/gateway.json`;
  }

  #read(): RequestedGateway | null {
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8')) as RequestedGateway;
    } catch {
      return null; // there never was a gateway, or the file is damaged: `spool web` starts one
    }
  }

  #write(options: WantedGateway | null): void {
    const wanted = options && ({ daemonStartedAt: this.#owner.daemon().startedAt, options } satisfies RequestedGateway);
    try {
      mkdirSync(doorsFolder(this.#owner.daemon().home), { recursive: true, mode: 0o700 });
      writeFileSync(`${this.#file}.tmp`, JSON.stringify(wanted), { mode: 0o600 });
      renameSync(`${this.#file}.tmp`, this.#file);
    } catch (error) {
      this.#owner.log.say(`the next holder will not know of the gateway: ${(error as Error).message}`, 'warn');
    }
  }
}

function hasDoor(options: WantedGateway | null): boolean {
  return options !== null && options !== 'sender';
}

function end({ process: child, link, health }: RunningGateway): void {
  health.stop();
  link.close();
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), END_MS_MAX).unref();
}
