/**
 * Keeps a gateway running, once somebody has asked for one. The holder knows nothing of networks: it starts a process, tells it
 * where the daemon is, and starts another when it ends. Keeps DOOR-10.
 *
 * The gateway's standard input comes from here: it ends with the holder, however the holder ends, and then the gateway ends
 * too. What was asked for is in a file, so that the next holder of the same daemon continues with it; another daemon does not.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type DaemonRecord, doorsFolder, type GatewayStart, type WantedGateway } from '@spool/protocol';
import type { DaemonLog } from './daemon-log.ts';

/** A gateway that lived this long was healthy: its successor starts at once. */
const HEALTHY_MS = 5000;
const BACKOFF_MS_FIRST = 50;
const BACKOFF_MS_MAX = 5000;

/** After being asked to end, it may take this long. */
const END_MS_MAX = 1000;

interface Wanted {
  readonly daemonStartedAt: number;
  readonly options: WantedGateway;
}

export class GatewayProcess {
  readonly #daemon: () => DaemonRecord;
  readonly #log: DaemonLog;
  #options: WantedGateway | null = null;
  #child: ChildProcess | null = null;
  #timer: NodeJS.Timeout | null = null;
  #backoffMs = 0;

  constructor(daemon: () => DaemonRecord, log: DaemonLog) {
    this.#daemon = daemon;
    this.#log = log;
  }

  /** Continues with what the last holder of this daemon was asked for. */
  resume(): void {
    if (this.#options !== null) return;
    const wanted = this.#read();
    if (wanted === null || wanted.daemonStartedAt !== this.#daemon().startedAt) return;
    this.#options = wanted.options;
    this.#start();
  }

  /** A gateway that runs with the same options goes on. */
  want(options: WantedGateway | null): void {
    const isSame = JSON.stringify(options) === JSON.stringify(this.#options);
    this.#options = options;
    this.#write(options);
    if (isSame && (this.#child !== null || options === null)) return;
    this.#backoffMs = 0;
    if (this.#child) return end(this.#child); // the next one starts when it has ended
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
    // One that has something to give back outside of the daemon ends by itself, when its standard input does.
    this.#child?.kill(mustUndo ? 'SIGTERM' : 'SIGKILL');
  }

  #start(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const { home, sockets = [home.socket] } = this.#daemon();
    const child = spawn(process.execPath, [sibling('gateway.mjs')], {
      stdio: ['pipe', 'ignore', this.#log.fd],
      detached: true,
      cwd: '/',
    });
    const startedAt = performance.now();
    this.#child = child;
    child.stdin!.on('error', () => {}); // EPIPE: it has ended, which `exit` reports
    child.stdin!.write(`${JSON.stringify({ home, sockets, options: this.#options! } satisfies GatewayStart)}\n`);
    child.on('error', (error) => this.#gone(child, `it could not be started: ${error.message}`, startedAt));
    child.on('exit', (code, signal) =>
      this.#gone(child, signal ? `killed by ${signal}` : `it exited with ${code}`, startedAt),
    );
  }

  #gone(child: ChildProcess, why: string, startedAt: number): void {
    if (this.#child !== child) return;
    this.#child = null;
    if (this.#options === null) return;
    const wasHealthy = performance.now() - startedAt > HEALTHY_MS;
    const waitMs = wasHealthy ? 0 : this.#backoffMs;
    this.#backoffMs = wasHealthy ? 0 : Math.min(BACKOFF_MS_MAX, Math.max(BACKOFF_MS_FIRST, waitMs * 2));
    this.#log.say(`the gateway is gone: ${why}; starting another`, 'warn');
    if (waitMs === 0) this.#start();
    else this.#timer = setTimeout(() => this.#options && this.#start(), waitMs);
  }

  get #file(): string {
    return `${doorsFolder(this.#daemon().home)}/gateway.json`;
  }

  #read(): Wanted | null {
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8')) as Wanted;
    } catch {
      return null; // there was never one, or the file is damaged: `spool web` starts one again
    }
  }

  #write(options: WantedGateway | null): void {
    const wanted = options && ({ daemonStartedAt: this.#daemon().startedAt, options } satisfies Wanted);
    try {
      mkdirSync(doorsFolder(this.#daemon().home), { recursive: true, mode: 0o700 });
      writeFileSync(`${this.#file}.tmp`, JSON.stringify(wanted), { mode: 0o600 });
      renameSync(`${this.#file}.tmp`, this.#file);
    } catch (error) {
      this.#log.say(`the next holder will not know of the gateway: ${(error as Error).message}`, 'warn');
    }
  }
}

function end(child: ChildProcess): void {
  child.stdin?.end();
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), END_MS_MAX).unref();
}

/** The daemon's programs are side by side in `dist/`. */
function sibling(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}
