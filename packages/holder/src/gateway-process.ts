/**
 * Keeps a gateway running, once somebody has asked for one. The holder knows nothing of networks: it starts a process, tells it
 * where the daemon is, and starts another when it ends or hangs. Keeps DOOR-10 and DOOR-23.
 *
 * Their link ends with the holder, however the holder ends, and then the gateway ends too. What was asked for is in a file, so that
 * the next holder of the same daemon continues with it; another daemon does not. The socket that the gateway listens on comes here
 * too, to be kept and passed on: while no gateway runs, clients wait at it, and no other program can take its port.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { native } from '@spool/native';
import { FdLink } from '@spool/native/fd-link';
import type { FdWatch } from '@spool/native/fd-watch';
import { PeerHealth } from '@spool/native/peer-health';
import {
  type DaemonRecord,
  type Door,
  doorsFolder,
  type GatewayListens,
  type GatewayPing,
  type GatewayPong,
  type GatewayStart,
  type WantedGateway,
} from '@spool/protocol';
import type { DaemonLog } from './daemon-log.ts';

/** A gateway that lived this long was healthy, because one starts in half of it: its successor starts at once. */
const HEALTHY_MS = 1500;
const BACKOFF_MS_FIRST = 50;
const BACKOFF_MS_MAX = 5000;

/** It says nothing by itself, so it is asked this often, which an idle machine hardly notices. */
const QUIET_MS = 10_000;

/** After being asked to end, it may take this long. */
const END_MS_MAX = 1000;

export interface GatewayProcessOptions {
  readonly watch: FdWatch;
  readonly log: DaemonLog;
  daemon(): DaemonRecord;
  /** The socket of `daemon().door`. */
  doorFd(): number | null;
  /** A gateway listens on this socket, or none will any more: keep it for as long. */
  keepDoor(door: Door | null, fd: number | null): void;
}

interface Wanted {
  readonly daemonStartedAt: number;
  readonly options: WantedGateway;
}

interface Running {
  readonly process: ChildProcess;
  readonly link: FdLink<GatewayListens | GatewayPong, GatewayStart | GatewayPing>;
  readonly health: PeerHealth;
  readonly startedAt: number;
}

export class GatewayProcess {
  readonly #owner: GatewayProcessOptions;
  #options: WantedGateway | null = null;
  #running: Running | null = null;
  #timer: NodeJS.Timeout | null = null;
  #backoffMs = 0;

  constructor(owner: GatewayProcessOptions) {
    this.#owner = owner;
  }

  /** Continues with what the last holder of this daemon was asked for. */
  resume(): void {
    if (this.#options !== null) return;
    const wanted = this.#read();
    if (wanted === null || wanted.daemonStartedAt !== this.#owner.daemon().startedAt) return;
    this.#options = wanted.options;
    this.#start();
  }

  /** A gateway that runs with the same options goes on. Undefined: any options will do. */
  want(asked: WantedGateway | null | undefined): void {
    const options = asked === undefined ? (hasDoor(this.#options) ? this.#options : {}) : asked;
    const isSame = JSON.stringify(options) === JSON.stringify(this.#options);
    this.#options = options;
    this.#write(options);
    if (!hasDoor(options)) this.#owner.keepDoor(null, null);
    if (isSame && (this.#running !== null || options === null)) return;
    this.#backoffMs = 0;
    if (this.#running) return end(this.#running); // the next one starts when it has ended
    if (options) this.#start();
  }

  /** Whoever has a gateway has a sender. */
  wantSender(): void {
    if (this.#options === null) this.want('sender');
  }

  /** The daemon ends. */
  kill(): void {
    const mustUndo = typeof this.#options === 'object' && this.#options?.tailscale === true;
    this.#options = null;
    // One that has something to give back outside of the daemon ends by itself, when its link does.
    this.#running?.process.kill(mustUndo ? 'SIGTERM' : 'SIGKILL');
  }

  #start(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const pair = this.#pair();
    if (pair === null) return;
    const [ours, theirs] = pair;
    const child = spawn(process.execPath, [sibling('gateway.mjs'), '--link-fd', '3'], {
      stdio: ['ignore', 'ignore', this.#owner.log.fd, theirs],
      detached: true,
      cwd: '/',
    });
    native.close(theirs);
    const link: Running['link'] = new FdLink(this.#owner.watch, ours, {
      onMessage: (message, [fd]) => {
        health.heard();
        if ('door' in message) this.#listens(running, message.door, fd!);
      },
      onFdsLost: () => {}, // no room for one more: the next gateway looks for the port again
      onEnd: () => {}, // `exit` follows
    });
    const health = new PeerHealth({
      pid: child.pid ?? 0,
      quietMs: QUIET_MS,
      ask: () => link.send({ ping: true }),
      onHung: () => child.kill('SIGKILL'), // what was asked of it waits at the socket for the next one
    });
    const running: Running = { process: child, link, health, startedAt: performance.now() };
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

  #listens(from: Running, door: Door, fd: number): void {
    if (this.#running === from && hasDoor(this.#options)) this.#owner.keepDoor(door, fd);
    else native.close(fd); // it is about to end
  }

  #gone(gone: Running, why: string): void {
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

  get #file(): string {
    return `${doorsFolder(this.#owner.daemon().home)}/gateway.json`;
  }

  #read(): Wanted | null {
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8')) as Wanted;
    } catch {
      return null; // there was never one, or the file is damaged: `spool web` starts one again
    }
  }

  #write(options: WantedGateway | null): void {
    const wanted = options && ({ daemonStartedAt: this.#owner.daemon().startedAt, options } satisfies Wanted);
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

function end({ process: child, link, health }: Running): void {
  health.stop();
  link.close();
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), END_MS_MAX).unref();
}

/** The daemon's programs are side by side in `dist/`. */
function sibling(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}
