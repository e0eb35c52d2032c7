/** The setting of a campaign: a small disk, a clock that can be set, a daemon, and the findings so far. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { TestDaemon, until } from '@spool/testkit';
import type { FaultAgentRun } from './agent-run.ts';
import type { Random } from './random.ts';

const DISK_BYTES = 96 * 1024 * 1024;

/** The time after which the keeper tries a log again, with room for a busy machine. */
const RETRIED_WITHIN_MS = 300;
/** The longest pause of a typist, which prints at least every second. */
const PRINTED_WITHIN_MS = 3000;
/** The maximum of bytes before a fault that may not be synced yet. */
const UNSYNCED_BYTES_MAX = 4096;

export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export class World {
  readonly random: Random;
  readonly place = mkdtempSync(`${tmpdir()}/spool-faults-`);
  readonly disk = `${this.place}/disk`;
  readonly daemon: TestDaemon;
  /** Harm and losses, one sentence each. */
  readonly lost: string[] = [];
  /** Foreign processes that got the pid of a session; they must survive. */
  readonly bystanders: number[] = [];
  /** The ranges, by session id, in which a log may have gaps: the output during an injected fault of the disk. */
  readonly #excused = new Map<string, ByteRange[]>();
  /**
   * The number of keeper deaths: each may have come between a write to a terminal and its journal entry, so that the input is
   * typed once more.
   */
  keeperDeaths = 0;
  linesTwice = 0;
  /** Runs of agents that have not ended. */
  readonly agents = new Set<FaultAgentRun>();
  agentsStarted = 0;
  readonly clock: Clock;
  client!: Client;

  constructor(random: Random) {
    this.random = random;
    mkdirSync(this.disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=700`, 'spool-faults', this.disk]);
    mkdirSync(`${this.disk}/home`, { mode: 0o700 });
    this.clock = new Clock(this.place);
    this.daemon = new TestDaemon({ home: `${this.disk}/home` });
  }

  async start({ isLeaky = false } = {}): Promise<void> {
    const programs = isLeaky ? this.#leakyPrograms() : fileURLToPath(new URL('../../../dist', import.meta.url));
    await startHolder(`${programs}/holder.mjs`, { ...this.daemon.env, ...this.clock.env });
    this.client = await this.daemon.client();
    await this.daemon.json('web', '--port', this.daemon.gatewayPort);
  }

  /** Makes a copy of the programs whose keeper drops one store in a hundred, from the first fault of the disk on. */
  #leakyPrograms(): string {
    const folder = `${this.place}/leaky`;
    const leak = `${this.place}/leak`;
    cpSync(new URL('../../../dist/', import.meta.url), folder, {
      recursive: true,
      filter: (path) => !path.endsWith('.map'),
    });
    const whole = readFileSync(`${folder}/keeper.mjs`, 'utf8');
    const store = '#store(source, mostBytes) {';
    const drops = `if (Math.random() < 0.01 && process.getBuiltinModule("node:fs").existsSync(${JSON.stringify(leak)})) return this.#fail("TEST");`;
    if (!whole.includes(store)) throw new Error('the keeper cannot be broken: it has no such function');
    writeFileSync(`${folder}/keeper.mjs`, whole.replace(store, `${store} ${drops}`));
    this.onDiskFault = () => writeFileSync(leak, '');
    return folder;
  }

  /** Cleans up after the daemon has ended. */
  close(): void {
    execFileSync('umount', ['-l', this.disk]);
    rmSync(this.place, { recursive: true });
  }

  /** Runs a fault of the disk. Gaps are excused only in the output from its beginning to its end. */
  async diskFault(inject: () => Promise<void>): Promise<void> {
    const before = await this.#offsets();
    try {
      await inject();
    } finally {
      await this.sleep(RETRIED_WITHIN_MS);
      const after = await this.#offsets();
      // A gap ends with the next bytes that are stored; until then a new keeper may make it wider.
      await until('every session has printed again', () => this.#havePrinted(after), PRINTED_WITHIN_MS).catch(() => {});
      for (const [id, to] of await this.#offsets()) {
        const from = Math.max(0, (before.get(id) ?? 0) - UNSYNCED_BYTES_MAX);
        this.#excused.set(id, [...(this.#excused.get(id) ?? []), { from, to }]);
      }
      this.onDiskFault();
    }
  }

  /** Called after each fault of the disk. */
  onDiskFault: () => void = () => {};

  isExcused(id: string, gap: ByteRange): boolean {
    return (this.#excused.get(id) ?? []).some(({ from, to }) => from <= gap.from && gap.to <= to);
  }

  /** Returns whether a fault of the disk was injected while this session printed. */
  isTouched(id: string): boolean {
    return this.#excused.has(id);
  }

  async #offsets(): Promise<Map<string, number>> {
    return new Map((await this.client.list()).map(({ id, offset }) => [id, offset]));
  }

  async #havePrinted(since: ReadonlyMap<string, number>): Promise<boolean> {
    // An agent prints only after a prompt.
    const running = (await this.client.list()).filter(({ state, driver }) => state === 'running' && !driver);
    return running.every(({ id, offset }) => offset > (since.get(id) ?? 0));
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}

/** The wall clock of the daemon. The test and the children of the daemon have another one. */
class Clock {
  readonly #file: string;
  readonly #library: string;
  /** The reason why it cannot be moved, as a sentence; null if it can. */
  readonly missing: string | null;

  constructor(place: string) {
    this.#file = `${place}/clock`;
    this.#library = `${place}/clock-shift.so`;
    this.shift(0);
    const source = fileURLToPath(new URL('../programs/clock-shift.c', import.meta.url));
    const { status, stderr, error } = spawnSync(
      'cc',
      ['-shared', '-fPIC', '-O2', '-o', this.#library, source, '-ldl'],
      { encoding: 'utf8' },
    );
    this.missing = status === 0 ? null : `clock-shift.c cannot be compiled: ${error?.message ?? stderr}`;
  }

  get env(): Record<string, string> {
    return this.missing === null ? { LD_PRELOAD: this.#library, SPOOL_TEST_CLOCK: this.#file } : {};
  }

  /** Makes the clock wrong by this much from now on. */
  shift(seconds: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(Math.round(seconds)));
    // Written in place: the daemon has mapped the file.
    const fd = openSync(this.#file, 'a+');
    closeSync(fd);
    writeFileSync(this.#file, bytes, { flag: 'r+' });
  }
}

/** Starts a holder like a client, but with the whole environment: clients pass on only the variables that a daemon needs. */
async function startHolder(entry: string, env: Record<string, string | undefined>): Promise<void> {
  const child = spawn(process.execPath, [entry, '--ready-fd', '3'], {
    detached: true,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    env: { ...env, SPOOL_DAEMON: '1' },
  });
  const said = await new Promise<string>((resolve, reject) => {
    child.stdio[3]!.once('data', (bytes: Buffer) => resolve(bytes.toString()));
    child.once('exit', (code) => reject(new Error(`the holder ended with ${code}`)));
  });
  child.unref();
  if (said !== 'ready\n') throw new Error(`the holder said ${said}`);
}
