/**
 * Standard output and error.
 *
 * Short texts are written synchronously to the descriptor, because creating Node's stream costs more than the write. For the same
 * reason the addon reports whether a descriptor is a terminal, and its size: `node:tty` loads all of `node:net`. Streams use
 * `writeText`, one piece at a time, so that a slow reader slows the writer and memory stays bounded.
 *
 * On a terminal, control characters in any text are escaped [ATT-8]; only colour sequences pass. Bytes of a session go through
 * `session-output.ts`. `writeOut` is for code that draws on the terminal itself.
 */
import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { EXIT } from '../command-line/exit-code.ts';
import { osErrorText } from '../command-line/os-error.ts';
import { native } from '../native.ts';
import { jsonText } from './json-text.ts';
import { shownText } from './printable.ts';

const TERMINAL_MS_MAX = 300;

/** The descriptors that would have blocked once. Further writes go through their stream, to keep the order. */
const isStreaming = new Set<1 | 2>();

/** Prints data to stdout. */
export function print(text: string): void {
  put(1, `${text}\n`);
}

export function printJson(value: unknown): void {
  put(1, `${jsonText(value)}\n`);
}

/** Prints a message for the user to stderr. */
export function notice(text: string): void {
  put(2, `${text}\n`);
}

/** Writes a piece of a stream of text. Resolves when there is room for more, or when `signal` aborts. */
export async function writeText(text: string, fd: 1 | 2 = 1, signal?: AbortSignal): Promise<void> {
  await writeOut(isTerminal(fd) ? shownText(text) : text, fd, signal);
}

/** Writes bytes unchanged. Resolves when the stream has room for more (the back-pressure), or when `signal` aborts. */
export async function writeOut(bytes: Uint8Array | string, fd: 1 | 2 = 1, signal?: AbortSignal): Promise<void> {
  const stream = streamOf(fd);
  if (stream.write(bytes) || signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stream.off('drain', done);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    stream.on('drain', done);
    signal?.addEventListener('abort', done);
  });
}

/** Resolves when everything is written, or after `ms`, because a terminal may have stopped reading. */
export async function flush(fd: 1 | 2, ms?: number): Promise<void> {
  const stream = streamOf(fd);
  if (stream.writableLength === 0) return;
  await new Promise<void>((resolve) => {
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    stream.write('', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Returns whether to print colours: only on a terminal that supports them. */
export function wantsColour(fd: 1 | 2): boolean {
  return isTerminal(fd) && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}

export function isTerminal(fd: 0 | 1 | 2): boolean {
  return native === null ? isatty(fd) : native.isTerminal(fd);
}

/** Returns the terminal's width; undefined if there is none. */
export function terminalWidth(): number | undefined {
  if (!isTerminal(1)) return undefined;
  return (native === null ? process.stdout.columns : native.getSize(1).cols) || 80;
}

/** Returns the terminal's height; undefined if there is none. */
export function terminalHeight(): number | undefined {
  if (!isTerminal(1)) return undefined;
  return (native === null ? process.stdout.rows : native.getSize(1).rows) || 24;
}

/** Waits for a pipe without a limit, as any program does, but not for a stalled terminal. */
export async function exitWhenWritten(code: number): Promise<never> {
  for (const fd of isStreaming) await flush(fd, isTerminal(fd) ? TERMINAL_MS_MAX : undefined);
  // Node's own exit waits for its threads: 1 ms of the 24 that a command may take.
  if (native !== null && !isExitObserved()) native.quit(code);
  process.exit(code);
}

/** Whether something happens at the exit: a terminal is restored, or a developer measures (`--cpu-prof`, coverage). */
function isExitObserved(): boolean {
  const { NODE_OPTIONS, NODE_V8_COVERAGE } = process.env;
  return process.listenerCount('exit') > 0 || process.execArgv.length > 0 || !!NODE_OPTIONS || !!NODE_V8_COVERAGE;
}

function put(fd: 1 | 2, text: string): void {
  const shown = isTerminal(fd) ? shownText(text) : text;
  if (isStreaming.has(fd)) {
    streamOf(fd).write(shown);
    return;
  }
  let bytes: Uint8Array = Buffer.from(shown);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(fd, bytes));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') streamOf(fd).write(bytes);
    else readerGone(fd, error as NodeJS.ErrnoException);
  }
}

function streamOf(fd: 1 | 2): NodeJS.WriteStream {
  const stream = fd === 1 ? process.stdout : process.stderr;
  if (!isStreaming.has(fd)) {
    isStreaming.add(fd);
    stream.on('error', (error) => {
      try {
        readerGone(fd, error);
      } catch {
        // The disk is full. No caller waits for this stream, so the error is printed here.
        put(2, `spool: ${osErrorText(error)}\n`);
        process.exit(EXIT.failed);
      }
    });
  }
  return stream;
}

/** The reader closed its end (`spool logs | head`), which is a normal end. */
function readerGone(fd: 1 | 2, error: NodeJS.ErrnoException): void {
  if (fd === 2) return; // stderr itself is closed, so the error cannot be reported
  if (error.code === 'EPIPE' || error.code === 'EIO' || error.code === 'EBADF') process.exit(0);
  throw error;
}
