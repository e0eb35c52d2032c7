/**
 * Runs a real daemon in its own folder, for tests: started as a user would, killed as only a test would, and checked at the end
 * for processes that it has left.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { connect } from '@spool/client/node';
import { type DaemonStatus, SpoolError } from '@spool/protocol';
import { until } from './processes.ts';

/** Set to `tarball`: the tests run what a release installs (`scripts/before-system-tests.mjs`), not the clone. */
const INSTALLED =
  process.env['SPOOL_UNDER_TEST'] === 'tarball'
    ? fileURLToPath(new URL('../../../.setup/under-test', import.meta.url))
    : null;

export const SPOOL =
  INSTALLED === null ? fileURLToPath(new URL('../../../spool', import.meta.url)) : `${INSTALLED}/bin/spool`;

const DAEMON_ENTRY = INSTALLED === null ? undefined : `${INSTALLED}/lib/node_modules/spool/dist/holder.mjs`;

export interface RunResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The time in which the processes of a stopped daemon end, with room for a busy machine. */
const GONE_WITHIN_MS = 30_000;

/** Daemons that were not disposed yet: `scripts/each-system-test.mjs` ends those that a test has left. */
const OPEN = ((globalThis as Record<symbol, unknown>)[Symbol.for('spool.testDaemons')] ??=
  new Set<TestDaemon>()) as Set<TestDaemon>;

export class TestDaemon {
  readonly home: string;
  readonly env: Record<string, string | undefined>;
  /** A separate port: the gateways of other tests would take the usual port while this one's is killed. */
  readonly gatewayPort = String(20_000 + Math.floor(Math.random() * 10_000));
  readonly #clients: Client[] = [];
  readonly #through: readonly string[];

  /** `through`: the words before each command, which decide where it runs. */
  constructor(
    options: { home?: string; env?: Record<string, string>; isNewcomer?: boolean; through?: readonly string[] } = {},
  ) {
    this.#through = options.through ?? [];
    this.home = options.home ?? mkdtempSync(`${tmpdir()}/spool-test-`);
    // The user of a test knows how to leave a session, so the hint about that, which takes time, is disabled.
    if (options.home === undefined && options.isNewcomer !== true)
      writeFileSync(`${this.home}/told.json`, '["detach"]', { mode: 0o600 });
    const { SPOOL_SESSION: _session, SPOOL_SOCKET: _socket, ...env } = process.env;
    this.env = { ...env, SPOOL_HOME: this.home, ...options.env };
    OPEN.add(this);
  }

  /** Returns an SDK client; the first one starts the daemon. */
  async client(options: { who?: string } = {}): Promise<Client> {
    const client = await connect({ env: this.env, daemonEntry: DAEMON_ENTRY, ...options });
    this.#clients.push(client);
    return client;
  }

  /** Runs `spool …` as from a script. */
  async spool(
    args: readonly string[],
    options: { input?: string | Uint8Array; env?: Readonly<Record<string, string>> } = {},
  ): Promise<RunResult & { bytes: Buffer }> {
    const [program = '', ...words] = [...this.#through, SPOOL, ...args];
    const child = spawn(program, words, { env: { ...this.env, ...options.env }, stdio: ['pipe', 'pipe', 'pipe'] });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.stdin.on('error', () => {}); // EPIPE: the command did not read its input
    child.stdin.end(options.input);
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    const bytes = Buffer.concat(out);
    return { code, bytes, stdout: bytes.toString(), stderr: Buffer.concat(err).toString() };
  }

  /** Runs `spool … --json`, and returns the parsed result; throws its error. */
  async json<T = Record<string, never>>(...args: string[]): Promise<T> {
    const at = args.indexOf('--');
    const flagged = at === -1 ? [...args, '--json'] : [...args.slice(0, at), '--json', ...args.slice(at)];
    const { code, stdout, stderr } = await this.spool(flagged);
    if (code !== 0) throw new Error(`spool ${args.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  /** Returns every process that has this daemon's folder in its environment: its own, and its sessions'. */
  processes(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .filter((pid) => {
        try {
          return (
            readFileSync(`/proc/${pid}/environ`, 'latin1').includes(this.home) &&
            !/State:\s+Z/.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
          );
        } catch {
          return false; // gone meanwhile
        }
      })
      .map(Number);
  }

  /** Returns the pids of the fd store, which restarts a daemon whose other processes are killed. */
  stores(): number[] {
    return this.processes().filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/comm`, 'utf8') === 'spool-fd-store\n';
      } catch {
        return false; // gone meanwhile
      }
    });
  }

  /** Kills all processes of the daemon at once, as the kernel kills a whole group. */
  killWhole({ holder, keeper }: Pick<DaemonStatus, 'holder' | 'keeper'>): void {
    process.kill(holder.pid, 'SIGSTOP'); // so that it cannot repair anything in between
    for (const pid of [...this.stores(), keeper.pid, holder.pid]) process.kill(pid, 'SIGKILL');
  }

  /** Stops the daemon; throws if any process is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    OPEN.delete(this);
    for (const client of this.#clients) client.close();
    try {
      await using client = await connect({ env: this.env, start: false });
      await client.shutdown({ graceMs: 0 });
    } catch (error) {
      if (!SpoolError.is(error, 'DAEMON_UNREACHABLE') && !SpoolError.is(error, 'FOLDER_REFUSED')) throw error;
    }
    await until('the daemon is gone', () => this.processes().length === 0, GONE_WITHIN_MS).catch(() => {}); // the check comes below
    const left = this.processes();
    for (const pid of left) process.kill(pid, 'SIGKILL');
    const log = left.length > 0 ? readFileSync(`${this.home}/daemon.log`, 'utf8') : '';
    rmSync(this.home, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`processes were left after daemon stop: ${left.join(' ')}\n${log}`);
  }
}
