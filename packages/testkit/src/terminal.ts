/** A user at a terminal: runs a program on a real PTY, types, and reads its output. */
import { native, POLL } from '@spool/native';
import { FdWatch } from '@spool/native/fd-watch';
import { until } from './processes.ts';

export class Terminal {
  readonly #watch = new FdWatch();
  readonly #master: number;
  readonly #slave: number;
  readonly #pidfd: number;
  readonly pid: number;
  /** The path of the terminal, for `stty -F`. */
  readonly path: string;
  readonly #chunk = new Uint8Array(65536);
  #screen = '';

  constructor(command: readonly string[], env: Record<string, string | undefined>, size = { cols: 80, rows: 24 }) {
    const spawned = native.spawn({
      file: command[0]!,
      argv: command,
      env: Object.entries({ TERM: 'xterm-256color', ...env }).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}=${value}`],
      ),
      cwd: '/',
      umask: 0o022,
      nofileSoft: 1024,
      cgroupProcsFd: -1,
      size,
    });
    if (spawned.kind !== 'pty') throw new Error('a size makes a PTY');
    this.#master = spawned.master;
    this.#slave = spawned.slave;
    this.#pidfd = spawned.pidfd;
    this.pid = spawned.pid;
    this.path = spawned.pts;
    this.#watch.watch(this.#master, POLL.readable, () => void this.#readOnce());
  }

  /** Returns false if there was no output to read. */
  #readOnce(): boolean {
    const read = native.read(this.#master, this.#chunk);
    if (read <= 0) return false;
    const text = Buffer.from(this.#chunk.subarray(0, read)).toString('latin1');
    this.#screen += text;
    if (this.#answersAfterMs !== null) this.#answer(text);
    return true;
  }

  /** All output so far. */
  get printed(): string {
    return this.#screen;
  }

  type(keys: string): void {
    native.write(this.#master, Buffer.from(keys, 'latin1'));
  }

  /** Types text that is longer than the terminal accepts at once. */
  async paste(text: string): Promise<void> {
    let bytes = Buffer.from(text, 'latin1');
    await until('all of the paste is taken', () => {
      const written = native.write(this.#master, bytes);
      if (written > 0) bytes = bytes.subarray(written);
      return bytes.length === 0;
    });
  }

  /**
   * Answers queries from now on, like a real terminal: a query that gets through has its answer typed. `lateMs` delays the
   * answers, as a slow line does.
   */
  answersQueries({ lateMs = 0 } = {}): void {
    this.#answersAfterMs = lateMs;
  }

  #answersAfterMs: number | null = null;

  #answer(text: string): void {
    const replies = REPLIES.filter(([query]) => text.includes(query)).map(([, reply]) => reply);
    if (replies.length === 0) return;
    const type = (): void => {
      if (!this.#isOpen) return;
      for (const reply of replies) this.type(reply);
      this.hasAnswered = true;
    };
    if (this.#answersAfterMs === 0) type();
    else setTimeout(type, this.#answersAfterMs!);
  }

  hasAnswered = false;

  resize(cols: number, rows: number): void {
    native.setSize(this.#master, { cols, rows });
  }

  /** Waits until `text` is printed after position `since`. */
  async sees(text: string, since = 0): Promise<void> {
    try {
      await until(`the terminal shows ${JSON.stringify(text)}`, () => this.#screen.slice(since).includes(text), 15_000);
    } catch (error) {
      throw new Error(`${(error as Error).message}; it shows ${JSON.stringify(this.#screen.slice(-800))}`, {
        cause: error,
      });
    }
  }

  /** Returns the exit status of the program. All its output has been read then: its last bytes may still be in the terminal. */
  async ended(): Promise<{ code: number; signal: number }> {
    let status = native.exitStatus(this.#pidfd);
    await until(`process ${this.pid} has ended`, () => (status ??= native.exitStatus(this.#pidfd)) !== null, 15_000);
    while (this.#isOpen && this.#readOnce());
    const { code, signal } = status!;
    return { code, signal };
  }

  /** Closes the terminal, like closing a window. */
  hangUp(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#watch.unwatch(this.#master);
    native.close(this.#slave);
    native.close(this.#master);
  }

  #isOpen = true;

  [Symbol.dispose](): void {
    native.pidfdSignal(this.#pidfd, 9);
    this.hangUp();
    this.#watch[Symbol.dispose]();
  }
}

/** The answers of xterm. */
const REPLIES: readonly (readonly [query: string, reply: string])[] = [
  ['\x1b[c', '\x1b[?1;2c'],
  ['\x1b[>c', '\x1b[>0;276;0c'],
  ['\x1b[5n', '\x1b[0n'],
  ['\x1b[6n', '\x1b[9;9R'],
  ['\x1b]10;?', '\x1b]10;rgb:1111/1111/1111\x1b\\'],
  ['\x1b]11;?', '\x1b]11;rgb:2222/2222/2222\x1b\\'],
  ['\x1b[>q', '\x1bP>|XTerm(1)\x1b\\'],
  ['\x1b[?u', '\x1b[?9u'],
  ['\x1b[18t', '\x1b[8;99;99t'],
  ['$p', '\x1b[?2004;4$y'],
];
