/** The setting of a campaign: a small disk, a clock that can be set, a daemon, and the findings so far. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { TestDaemon } from '@spool/testkit';
import type { Random } from './random.ts';

const DISK_BYTES = 96 * 1024 * 1024;

export class World {
  readonly random: Random;
  readonly place = mkdtempSync(`${tmpdir()}/spool-faults-`);
  readonly disk = `${this.place}/disk`;
  readonly daemon: TestDaemon;
  /** What was harmed or lost, one sentence each. */
  readonly lost: string[] = [];
  /** Foreign processes that got the pid of a session; they must survive. */
  readonly bystanders: number[] = [];
  /** Faults after which a log may have gaps. */
  diskFaults = 0;
  /** Each may have come between a write to a terminal and its journal entry: then that input is typed once more. */
  keeperDeaths = 0;
  linesTwice = 0;
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

  async start(): Promise<void> {
    await startHolder({ ...this.daemon.env, ...this.clock.env });
    this.client = await this.daemon.client();
  }

  /** After the daemon has gone. */
  close(): void {
    execFileSync('umount', ['-l', this.disk]);
    rmSync(this.place, { recursive: true });
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}

/** The wall clock of the daemon. Ours, and that of its children, is another. */
class Clock {
  readonly #file: string;
  readonly #library: string;
  /** Why it cannot be moved, as a sentence; null if it can. */
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

  /** From now on the clock is wrong by this much. */
  shift(seconds: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(Math.round(seconds)));
    // In place: the daemon has mapped the file.
    const fd = openSync(this.#file, 'a+');
    closeSync(fd);
    writeFileSync(this.#file, bytes, { flag: 'r+' });
  }
}

/** As a client would, but with all of this environment: clients pass on only what a daemon needs. */
async function startHolder(env: Record<string, string | undefined>): Promise<void> {
  const entry = fileURLToPath(new URL('../../../dist/holder.mjs', import.meta.url));
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
