/**
 * Runs the driver of one agent: a process of its own, because it parses what a stranger's program writes. It talks to the
 * keeper over a socket that it inherits, so it needs no right but to its own session, and ends with its keeper. One that
 * crashes is started again; its state is in the logs. Keeps EVT-4: one that keeps crashing is given up, and the session lives.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { native } from '@spool/native';
import { LOG_FD } from '../daemon-log.ts';

/** Crashes in a row without progress. */
const CRASHES_MAX = 5;
/** Crashes after which a checkpoint is not trusted any more. */
const CRASHES_WITH_CHECKPOINT = 1;
const AGAIN_MS_FIRST = 50;
const AGAIN_MS_MAX = 2000;

/**
 * A driver holds one line and a little state, and stays below 64 MiB: a small heap, collections that it asks for itself
 * (`driver-process/collector.ts`), no threads of its own, and no compiled code but the simplest (decision 087).
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
  /** Serves the driver on this socket, which it takes over. Returns a function that closes it. */
  serve(fd: number): () => void;
  /** It was given up, with the reason in words. */
  onGivenUp(reason: string): void;
  warn(sentence: string): void;
}

export class DriverProcess {
  readonly #options: DriverProcessOptions;
  #stop: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #crashes = 0;
  #isOver = false;

  constructor(options: DriverProcessOptions) {
    this.#options = options;
  }

  get isGivenUp(): boolean {
    return this.#crashes >= CRASHES_MAX;
  }

  /** Starts it, unless it runs or is about to. One that was given up gets another chance. */
  start(): void {
    if (this.#isOver || this.#stop !== null || this.#timer !== null) return;
    if (this.isGivenUp) this.#crashes = 0;
    this.#start();
  }

  /** It has appended something: it works. */
  progressed(): void {
    this.#crashes = 0;
  }

  /** Ends it for good. */
  end(): void {
    this.#isOver = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#stop?.();
  }

  #start(): void {
    const { name, session, configFolder, serve } = this.#options;
    let ours: number;
    let theirs: number;
    try {
      [ours, theirs] = native.socketPair();
    } catch (error) {
      return this.#gone(`no socket: ${(error as Error).message}`);
    }
    const close = serve(ours);
    // One that has crashed on its checkpoint reads its logs instead.
    const from = this.#crashes > CRASHES_WITH_CHECKPOINT ? ['--from-start'] : [];
    const child = spawn(
      process.execPath,
      [
        ...FLAGS,
        sibling('driver.mjs'),
        name,
        '--session',
        session,
        '--link-fd',
        '3',
        '--config',
        configFolder,
        ...from,
      ],
      { stdio: ['ignore', 'ignore', LOG_FD, theirs], cwd: '/', env: ENVIRONMENT },
    );
    native.close(theirs);
    this.#stop = () => {
      close();
      child.kill('SIGKILL'); // its state is in the logs
    };
    let isGone = false;
    const gone = (how: string): void => {
      if (isGone) return;
      isGone = true;
      close();
      this.#stop = null;
      this.#gone(how);
    };
    child.on('error', (error) => gone(error.message));
    child.on('exit', (code, signal) => gone(signal === null ? `exit code ${code}` : signal));
  }

  #gone(how: string): void {
    if (this.#isOver) return;
    const { name, session, warn, onGivenUp } = this.#options;
    this.#crashes++;
    warn(`the driver ${name} of session ${session} is gone: ${how}`);
    if (this.isGivenUp) return onGivenUp(`its driver crashed ${CRASHES_MAX} times in a row: ${how}`);
    const waitMs = Math.min(AGAIN_MS_MAX, AGAIN_MS_FIRST * 2 ** (this.#crashes - 1));
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#start();
    }, waitMs);
  }
}

/** The daemon's programs are side by side in `dist/`. */
function sibling(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}
