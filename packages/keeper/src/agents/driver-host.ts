/**
 * Runs the drivers of several agents in one separate process, because they parse the output of programs that are not trusted. Each
 * talks to the keeper over its own socket, which has rights to its session only; all of them end with the keeper. Keeps DRV-43: the
 * end of the process concerns the driver on whose line it ended; and EVT-12: a process that hangs is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { native } from '@spool/native';
import { FdLink } from '@spool/native/fd-link';
import type { FdWatch } from '@spool/native/fd-watch';
import { ownNode } from '@spool/native/own-node';
import { PeerHealth } from '@spool/native/peer-health';
import { programPath } from '@spool/native/program-path';
import { type DriverOrder, type FromDriverHost, SLOT_BYTES, type ToDriverHost } from '@spool/protocol';
import { LOG_FD } from '../daemon-log.ts';

/**
 * An idle process is checked at this interval, which costs an idle machine almost nothing; one that has received something is
 * checked after 3 s.
 */
const QUIET_MS = 10_000;
/**
 * The limit for one step of a driver: a line, or a command. Together with the time before the check, a driver that hangs while it
 * has work is replaced within 10 s (EVT-12).
 */
const STEP_MS_MAX = 5000;
/** A process that ends sooner, in no driver's step, counts as a crash of all its drivers: perhaps none can be started. */
const LASTS_MS_MIN = 10_000;

/** The limits of V8's heap, in MiB: a driver holds one line and a little state. */
const HEAP_MIB = { alone: 32, shared: 96 };
/**
 * Collections that a driver starts itself (`driver-process/collector.ts`), no worker threads, and only the simplest compiled code
 * (decision 087).
 */
const FLAGS = [
  '--max-semi-space-size=1',
  '--expose-gc',
  '--optimize-for-size',
  '--v8-pool-size=0',
  '--no-opt',
  '--no-maglev',
];
const ENVIRONMENT = { MALLOC_ARENA_MAX: '1' };

/** The traffic on the socket of a driver. */
export interface DriverTraffic {
  /** Called for all data from the driver. */
  onHeard(): void;
  /** Called when a piece of a log was sent to the driver. */
  onOutput(): void;
}

/** The end of a driver that was not asked for. */
export interface DriverDeath {
  readonly how: string;
  /**
   * `failed`: it failed alone. `in-step`: its process ended on its line. `at-start`: its process ended soon, and on no driver's line.
   * `beside`: its process ended, and the reason was not this driver.
   */
  readonly cause: 'failed' | 'in-step' | 'at-start' | 'beside';
}

export interface DrivenAgent {
  readonly order: DriverOrder;
  /** Serves the driver on this socket, and takes over the fd. Returns a function that closes it. */
  serve(fd: number, traffic: DriverTraffic): () => void;
  /** Called once, unless the driver was ended. */
  onGone(death: DriverDeath): void;
}

export interface DriverHostOptions {
  readonly watch: FdWatch;
  readonly configFolder: string;
  /** The name of its driver, if there is to be only one. */
  readonly alone?: string;
  /** Called when the process has ended, before `onGone` of its drivers. */
  onEnd(): void;
  warn(sentence: string): void;
}

export class DriverHost {
  readonly #options: DriverHostOptions;
  readonly #link: FdLink<FromDriverHost, ToDriverHost>;
  /** A pipe in which the process marks the driver that is working. */
  readonly #steps: number;
  readonly #child: ChildProcess;
  readonly #health: PeerHealth | null;
  readonly #drivers = new Map<number, { readonly driver: DrivenAgent; readonly close: () => void }>();
  readonly #startedAt = performance.now();
  #slots = 0;
  #isOver = false;

  /** Throws if there are not enough file descriptors. */
  constructor(options: DriverHostOptions) {
    const { watch, configFolder, alone } = options;
    this.#options = options;
    const [ours, theirs] = native.socketPair();
    try {
      this.#steps = native.openPipe();
    } catch (error) {
      native.close(ours);
      native.close(theirs);
      throw error;
    }
    const heap = `--max-old-space-size=${alone === undefined ? HEAP_MIB.shared : HEAP_MIB.alone}`;
    const fds = ['--link-fd', '3', '--step-fd', '4'];
    this.#child = spawn(
      ownNode(),
      [
        ...FLAGS,
        heap,
        programPath('driver.mjs'),
        ...(alone === undefined ? [] : [alone]),
        ...fds,
        '--config',
        configFolder,
      ],
      { argv0: 'node', stdio: ['ignore', 'ignore', LOG_FD, theirs, this.#steps], cwd: '/', env: ENVIRONMENT },
    );
    native.close(theirs);
    this.#link = new FdLink(watch, ours, {
      onMessage: (message) => this.#take(message),
      onFdsLost: () => {}, // it sends none
      onEnd: () => {}, // its exit follows
    });
    this.#health = this.#watched();
    this.#child.on('error', (error) => this.#ended(error.message));
    this.#child.on('exit', (code, signal) => this.#ended(signal === null ? `exit code ${code}` : signal));
  }

  /** The number of its drivers. */
  get count(): number {
    return this.#drivers.size;
  }

  /** Starts a driver. Returns a function that ends it. Throws if there is no socket for it. */
  drive(driver: DrivenAgent): () => void {
    let pair;
    try {
      pair = native.socketPair();
    } catch (error) {
      this.#endIfUnused();
      throw error;
    }
    const [ours, theirs] = pair;
    const slot = ++this.#slots;
    const close = driver.serve(ours, {
      onHeard: () => this.#health?.heard(),
      onOutput: () => this.#health?.expect(),
    });
    this.#drivers.set(slot, { driver, close });
    this.#link.send({ type: 'drive', slot, order: driver.order }, [theirs], { closeFds: true });
    return () => this.#remove(slot);
  }

  #take(message: FromDriverHost): void {
    this.#health?.heard();
    if (message.type === 'pong') return;
    const driver = this.#drivers.get(message.slot)?.driver;
    this.#remove(message.slot);
    driver?.onGone({ how: message.how, cause: 'failed' });
  }

  /** Ends a driver; the process ends with the last one. Their state is in the logs. */
  #remove(slot: number): void {
    const entry = this.#drivers.get(slot);
    if (!entry) return;
    this.#drivers.delete(slot);
    entry.close();
    this.#endIfUnused();
  }

  #endIfUnused(): void {
    if (this.#drivers.size > 0 || this.#isOver) return;
    this.#child.kill('SIGKILL');
    this.#ended('its last driver has ended');
  }

  /** Kills the process if it hangs. */
  #watched(): PeerHealth | null {
    const { pid } = this.#child;
    if (pid === undefined) return null; // it could not be started
    return new PeerHealth({
      pid,
      ask: () => this.#link.send({ type: 'ping' }),
      quietMs: QUIET_MS,
      answerWithinMs: STEP_MS_MAX,
      onHung: () => {
        this.#child.kill('SIGKILL');
        this.#ended(`it did nothing for ${STEP_MS_MAX / 1000} s`);
      },
    });
  }

  #ended(how: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#health?.stop();
    const working = this.#workingSlot();
    native.close(this.#steps);
    this.#link.close();
    this.#options.onEnd();
    const entries = [...this.#drivers];
    this.#drivers.clear();
    if (entries.length > 1)
      this.#options.warn(`the process with the drivers of ${entries.length} sessions is gone: ${how}`);
    const isEarly = performance.now() - this.#startedAt < LASTS_MS_MIN;
    for (const [slot, { driver, close }] of entries) {
      close();
      const isInStep = slot === working || this.#options.alone !== undefined;
      driver.onGone({ how, cause: isInStep ? 'in-step' : isEarly && working === null ? 'at-start' : 'beside' });
    }
  }

  /** Returns the slot of the driver that was working when the process ended; null if none was. */
  #workingSlot(): number | null {
    const bytes = Buffer.alloc(SLOT_BYTES);
    return native.read(this.#steps, bytes) === SLOT_BYTES ? bytes.readUInt32LE() : null;
  }
}
