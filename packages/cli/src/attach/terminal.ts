/**
 * The terminal of the person: raw while a session is shown, and as it was before when we leave, however we leave.
 */
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import type { Size } from '@spool/protocol';
import { ANYTHING_SET, undo } from '@spool/vt';

/** Gives up a sequence that was cut in the middle, then undoes whatever may have been set: for when nobody knows what was. */
const UNDO_ANYTHING = Buffer.concat([Uint8Array.of(0x18), undo(ANYTHING_SET)]);

/** How long a terminal may take to be restored; one that is gone or stalled must not hold us. */
const RESTORE_MS_MAX = 500;
const RETRY_MS = 10;

/** From outside; a Ctrl-C or Ctrl-\\ of the person is a key like others here. */
const ENDING = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const;

export class Terminal implements Disposable {
  #isRaw = false;
  #outputReady: Promise<void> = Promise.resolve();
  #isTaking = true;
  /** Stopped (SIGTSTP) and going on: the screen is not what it was. */
  onContinue: () => void = () => {};
  /** What takes back all that has been set by what was written so far. */
  undo: () => Uint8Array = () => new Uint8Array(0);

  enter(): void {
    process.on('exit', this.leave);
    for (const signal of ENDING) process.on(signal, this.#onTerminate);
    process.on('SIGTSTP', this.#onStop);
    process.on('SIGCONT', this.#onContinue);
    this.#goRaw();
  }

  /** Resolves when bytes reach the terminal as they are. */
  get outputReady(): Promise<void> {
    return this.#outputReady;
  }

  /** False when the terminal took nothing as we left it: a word to the person would only hang. */
  get isTaking(): boolean {
    return this.#isTaking;
  }

  size(): Size {
    const [cols, rows] = process.stdout.getWindowSize();
    return { cols: cols || 80, rows: rows || 24 };
  }

  /** May be called twice, and from an exit handler: everything in it is synchronous. */
  readonly leave = (): void => {
    if (!this.#isRaw) return;
    this.#isRaw = false;
    // What is still on its way to the terminal may set anything, and may be cut anywhere.
    const isKnown = process.stdout.writableLength === 0;
    this.#isTaking = writeWithin(RESTORE_MS_MAX, isKnown ? this.undo() : UNDO_ANYTHING);
    try {
      process.stdin.setRawMode(false);
    } catch {
      // EIO: it is gone
    }
  };

  [Symbol.dispose](): void {
    this.leave();
    process.off('exit', this.leave);
    for (const signal of ENDING) process.off(signal, this.#onTerminate);
    process.off('SIGTSTP', this.#onStop);
    process.off('SIGCONT', this.#onContinue);
  }

  #goRaw(): void {
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

  readonly #onContinue = (): void => {
    if (this.#isRaw) return;
    this.#goRaw();
    this.onContinue();
  };
}

/**
 * Writes to the terminal, synchronously, and gives up in time. Through a description of its own, because non-blocking is a
 * property of the description, and the one that we inherited is shared with the shell.
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
    return false; // EIO, ENXIO: it is gone; EAGAIN: it takes nothing. There is nothing left to restore it with.
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/**
 * Node's raw mode leaves the terminal to turn each newline into carriage return and newline. A session's bytes have been
 * through such a terminal already, and programs that move down by a bare newline would end up in the first column.
 * Node cannot switch it off; `stty` can, and where there is none we do without.
 */
function withoutOutputProcessing(): Promise<void> {
  return new Promise((resolve) => {
    const stty = spawn('stty', ['-opost'], { stdio: [1, 'ignore', 'ignore'] });
    stty.on('error', () => resolve());
    stty.on('exit', () => resolve());
  });
}

/**
 * A terminal that takes nothing (a stalled ssh) must not keep us from reading the detach key. Node makes terminals blocking;
 * its handle has the way back, but no public name for it. After `stty`: for a child, Node makes its descriptors blocking.
 */
function withoutBlocking(): void {
  (process.stdout as { _handle?: { setBlocking?(on: boolean): void } })._handle?.setBlocking?.(false);
}
