/**
 * The user's terminal: raw while a session is shown, and restored on exit, however the process ends. Keeps ATT-12.
 */
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import type { Size } from '@spool/protocol';
import { ANYTHING_SET, undo } from '@spool/vt';
import { native } from '../native.ts';

/** Cancels a truncated sequence, then resets everything that may have been set. Used when the state is unknown. */
const UNDO_ANYTHING = Buffer.concat([Uint8Array.of(0x18), undo(ANYTHING_SET)]);

/** The time limit of restoring, because a stalled terminal must not block the exit. */
const RESTORE_MS_MAX = 500;
const RETRY_MS = 10;

/** Signals from other processes; Ctrl-C and Ctrl-\\ are ordinary keys here. */
const ENDING = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const;

export class UserTerminal implements Disposable {
  #isRaw = false;
  #outputReady: Promise<void> = Promise.resolve();
  #isTaking = true;
  /** Called when the process continues after a suspend (SIGTSTP, SIGSTOP): the screen has changed. */
  onContinue: () => void = () => {};
  /** Called when the size of the terminal has changed. */
  onResize: () => void = () => {};
  /** Returns the bytes that undo everything set so far. */
  undo: () => Uint8Array = () => new Uint8Array(0);

  enter(): void {
    process.on('exit', this.leave);
    for (const signal of ENDING) process.on(signal, this.#onTerminate);
    process.on('SIGTSTP', this.#onStop);
    process.on('SIGCONT', this.#onContinue);
    process.stdout.on('resize', this.#onResize);
    this.#goRaw();
  }

  /** Resolves when the terminal passes bytes through unchanged. */
  get outputReady(): Promise<void> {
    return this.#outputReady;
  }

  /** Whether the terminal accepts output; false if it accepted nothing during the restore, and a message would hang. */
  get isTaking(): boolean {
    return this.#isTaking;
  }

  size(): Size {
    const [cols, rows] = process.stdout.getWindowSize();
    return { cols: cols || 80, rows: rows || 24 };
  }

  /** Restores the terminal. Synchronous, because an exit handler may call it. May be called twice. */
  readonly leave = (): void => {
    if (!this.#isRaw) return;
    this.#isRaw = false;
    // Pending output may set any mode, and may be truncated anywhere.
    const isKnown = process.stdout.writableLength === 0;
    this.#isTaking = writeWithin(RESTORE_MS_MAX, isKnown ? this.undo() : UNDO_ANYTHING);
    try {
      process.stdin.setRawMode(false);
    } catch {
      // EIO: the terminal is gone
    }
  };

  [Symbol.dispose](): void {
    this.leave();
    process.off('exit', this.leave);
    for (const signal of ENDING) process.off(signal, this.#onTerminate);
    process.off('SIGTSTP', this.#onStop);
    process.off('SIGCONT', this.#onContinue);
    process.stdout.off('resize', this.#onResize);
  }

  #goRaw(): void {
    // After a stop without notice (SIGSTOP) the terminal has the shell's modes, but Node does not repeat a mode that it has already
    // set.
    if (this.#isRaw) process.stdin.setRawMode(false);
    process.stdin.setRawMode(true);
    this.#isRaw = true;
    this.#outputReady = withoutOutputProcessing().then(withoutBlocking);
  }

  readonly #onTerminate = (_: NodeJS.Signals, number: number): void => {
    this.leave();
    process.exit(128 + number);
  };

  readonly #onStop = (): void => {
    this.leave();
    process.kill(process.pid, 'SIGSTOP');
  };

  readonly #onResize = (): void => this.onResize();

  readonly #onContinue = (): void => {
    this.#goRaw();
    this.onContinue();
  };
}

/**
 * Writes to the terminal synchronously, with a timeout. It opens its own file description, because non-blocking mode is a
 * property of the description, and the inherited one is shared with the shell.
 */
function writeWithin(ms: number, all: Uint8Array): boolean {
  const until = performance.now() + ms;
  let fd: number | null = null;
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    fd = openSync(process.platform === 'linux' ? '/proc/self/fd/1' : '/dev/tty', O_WRONLY | O_NONBLOCK | O_NOCTTY);
    for (let bytes = all; bytes.length > 0;) {
      try {
        bytes = bytes.subarray(writeSync(fd, bytes));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > until) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
      }
    }
    return true;
  } catch {
    return false; // EIO, ENXIO: the terminal is gone; EAGAIN: it accepts nothing. In both cases it cannot be restored.
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/**
 * In Node's raw mode the terminal still turns each newline into carriage return and newline. A session's bytes have already passed
 * such a terminal, so programs that move down with a bare newline would end up in the first column. Node cannot switch this off,
 * but the addon can; without the addon, `stty` does, which takes 10 ms. Without either, it stays on.
 */
async function withoutOutputProcessing(): Promise<void> {
  if (native?.stopOutputProcessing(1) === 0) return;
  await new Promise<void>((resolve) => {
    const stty = spawn('stty', ['-opost'], { stdio: [1, 'ignore', 'ignore'] });
    stty.on('error', () => resolve());
    stty.on('exit', () => resolve());
  });
}

/**
 * A stalled terminal (ssh) must not prevent reading the detach key. Node makes terminals blocking, and only its internal handle
 * can undo that. Call it after `stty`, because Node makes the descriptors blocking again when it starts a child.
 */
function withoutBlocking(): void {
  (process.stdout as { _handle?: { setBlocking?(on: boolean): void } })._handle?.setBlocking?.(false);
}
