/**
 * Runs the driver of one agent in a separate process, because it parses the output of a program that is not trusted. It talks to
 * the keeper over a socket that it inherits, so it has rights only to its own session, and ends with its keeper. A driver that
 * crashes or hangs is started again; its state is in the logs. Keeps EVT-4: a driver that keeps crashing is given up, and the
 * session lives. Keeps EVT-12: a driver that hangs is replaced.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { native } from '@spool/native';
import { ownNode } from '@spool/native/own-node';
import { PeerHealth } from '@spool/native/peer-health';
import { programPath } from '@spool/native/program-path';
import { LOG_FD } from '../daemon-log.ts';

/** The number of crashes in a row without progress. Killing a driver that hangs counts as a crash. */
const CRASHES_MAX = 5;
/** The number of crashes after which a checkpoint is no longer trusted. */
const CRASHES_WITH_CHECKPOINT = 1;
const AGAIN_MS_FIRST = 50;
const AGAIN_MS_MAX = 2000;

/**
 * An idle driver is checked at this interval, which costs an idle machine almost nothing; a driver that has received something is
 * checked after 3 s.
 */
const QUIET_MS = 10_000;
/**
 * The limit for one step of a driver: a line, or a command. Together with the time before the check, a driver that hangs while it
 * has work is replaced within 10 s (EVT-12).
 */
const STEP_MS_MAX = 5000;
/**
 * The signal that checks whether a driver responds. Its default action is to be ignored, so a driver that is still loading is not
 * harmed. The driver answers over its socket.
 */
const ASKING_SIGNAL = 'SIGWINCH';

/**
 * A driver holds one line and a little state, and stays below 64 MiB. For this it has a small heap, collections that it starts
 * itself (`driver-process/collector.ts`), no worker threads, and only the simplest compiled code (decision 087).
 */
const FLAGS = [
  '--max-semi-space-size=1',
  '--max-old-space-size=32',
  '--expose-gc',
  '--optimize-for-size',
  '--v8-pool-size=0',
  '--no-opt',
  '--no-maglev',
];
const ENVIRONMENT = { MALLOC_ARENA_MAX: '1' };

export interface DriverProcessOptions {
  readonly name: string;
  readonly session: string;
  readonly configFolder: string;
  /** The folder of the side channel that the driver reads, for an agent in a terminal. */
  readonly channel?: string;
  /** Serves the driver on this socket, and takes over the fd. Returns a function that closes it. */
  serve(fd: number, traffic: DriverTraffic): () => void;
  /** Called when the driver was given up, with the reason in words. */
  onGivenUp(reason: string): void;
  warn(sentence: string): void;
}

/** The traffic on the socket of a driver. */
export interface DriverTraffic {
  /** Called for all data from the driver. */
  onHeard(): void;
  /** Called when a piece of a log was sent to the driver. */
  onOutput(): void;
}

export class DriverProcess {
  readonly #options: DriverProcessOptions;
  #stop: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #crashes = 0;
  /** The offset before which the driver has processed the output: it crashes on output after it. */
  #taken: number | null = null;
  #isOver = false;

  constructor(options: DriverProcessOptions) {
    this.#options = options;
  }

  get isGivenUp(): boolean {
    return this.#crashes >= CRASHES_MAX;
  }

  /** Starts the driver, unless it runs or is about to start. A driver that was given up gets another chance. */
  start(): void {
    if (this.#isOver || this.#stop !== null || this.#timer !== null) return;
    if (this.isGivenUp) this.#crashes = 0;
    this.#start();
  }

  /** Records that the driver has appended an event, which shows that it works. */
  progressed(): void {
    this.#crashes = 0;
  }

  /** Records that the driver has processed the output before this offset. */
  took(offset: number): void {
    this.#taken = offset;
  }

  /** Ends the driver permanently. */
  end(): void {
    this.#isOver = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#stop?.();
  }

  #start(): void {
    const { name, session, configFolder, channel, serve } = this.#options;
    let ours: number;
    let theirs: number;
    try {
      [ours, theirs] = native.socketPair();
    } catch (error) {
      return this.#gone(`no socket: ${(error as Error).message}`);
    }
    let health: PeerHealth | null = null;
    const close = serve(ours, { onHeard: () => health?.heard(), onOutput: () => health?.expect() });
    // A driver that has crashed on its checkpoint reads its logs instead. After any crash, a driver takes one line at a time: it
    // then keeps the lines that it could process, and the last offset is that of the line on which it crashes.
    const from = [
      ...(this.#crashes > CRASHES_WITH_CHECKPOINT ? ['--from-start'] : []),
      ...(this.#crashes > 0 ? ['--line-by-line'] : []),
    ];
    const child = spawn(
      ownNode(),
      [
        ...FLAGS,
        programPath('driver.mjs'),
        name,
        '--session',
        session,
        '--link-fd',
        '3',
        '--config',
        configFolder,
        ...(channel === undefined ? [] : ['--channel', channel]),
        ...from,
      ],
      { argv0: 'node', stdio: ['ignore', 'ignore', LOG_FD, theirs], cwd: '/', env: ENVIRONMENT },
    );
    native.close(theirs);
    this.#stop = () => {
      health?.stop();
      close();
      child.kill('SIGKILL'); // its state is in the logs
    };
    let isGone = false;
    const gone = (how: string): void => {
      if (isGone) return;
      isGone = true;
      health?.stop();
      close();
      this.#stop = null;
      this.#gone(how);
    };
    health = this.#watched(child, gone);
    child.on('error', (error) => gone(error.message));
    child.on('exit', (code, signal) => gone(signal === null ? `exit code ${code}` : signal));
  }

  /** Kills a driver that hangs. */
  #watched(child: ChildProcess, gone: (how: string) => void): PeerHealth | null {
    const { pid } = child;
    if (pid === undefined) return null; // the driver could not be started
    return new PeerHealth({
      pid,
      ask: () => void child.kill(ASKING_SIGNAL),
      quietMs: QUIET_MS,
      answerWithinMs: STEP_MS_MAX,
      onHung: () => {
        child.kill('SIGKILL');
        gone(`it did nothing for ${STEP_MS_MAX / 1000} s`);
      },
    });
  }

  #gone(how: string): void {
    if (this.#isOver) return;
    const { name, session, warn, onGivenUp } = this.#options;
    this.#crashes++;
    warn(`the driver ${name} of session ${session} is gone: ${how}`);
    const where = this.#taken === null ? '' : ` at offset ${this.#taken} of the output`;
    if (this.isGivenUp) return onGivenUp(`its driver crashed ${CRASHES_MAX} times in a row${where}: ${how}`);
    const waitMs = Math.min(AGAIN_MS_MAX, AGAIN_MS_FIRST * 2 ** (this.#crashes - 1));
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#start();
    }, waitMs);
  }
}
