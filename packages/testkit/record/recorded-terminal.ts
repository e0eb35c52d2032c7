/**
 * Runs a program on a terminal, and records all traffic between the two, with times.
 *
 * The terminal answers queries as Spool does (or not at all), and has a model of its screen, so that the script that drives the
 * program can wait for its content.
 */
import { ScreenModel } from '@spool/screen';
import { native, POLL } from '@spool/native';
import { FdWatch } from '@spool/native/fd-watch';
import { answerQuery, encodeKey, OutputFollower, paste, type Query } from '@spool/vt';

export type RecordedEvent = readonly [ms: number, type: 'o' | 'i' | 'q' | 'r' | 'm' | 'x', ...rest: unknown[]];

export interface RecordedTerminalOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cols: number;
  readonly rows: number;
  readonly answersQueries: boolean;
}

const CELL_PIXELS = { width: 9, height: 18 };
const KILL = 9;

export class RecordedTerminal {
  readonly events: RecordedEvent[] = [];
  readonly #pieces: Uint8Array[] = [];
  readonly #watch = new FdWatch();
  readonly #model: ScreenModel;
  readonly #follower: OutputFollower;
  readonly #options: RecordedTerminalOptions;
  readonly #master: number;
  readonly #slave: number;
  readonly #pidfd: number;
  readonly #startedAt = performance.now();
  #bytes = 0;
  #painted = 0;
  #text = '';
  #changedAt = 0;
  #size: { cols: number; rows: number };

  constructor(options: RecordedTerminalOptions) {
    const { command, cwd, env, cols, rows } = options;
    this.#options = options;
    this.#size = { cols, rows };
    this.#model = new ScreenModel({ cols, rows }, { scrollback: 100 });
    this.#follower = new OutputFollower({ onQuery: (query) => this.#answer(query) });
    const spawned = native.spawn({
      file: command[0]!,
      argv: command,
      env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      cwd,
      umask: 0o022,
      nofileSoft: 1024,
      cgroupProcsFd: -1,
      size: { cols, rows },
    });
    if (spawned.kind !== 'pty') throw new Error('a size makes a PTY');
    this.#master = spawned.master;
    this.#slave = spawned.slave;
    this.#pidfd = spawned.pidfd;
    const chunk = new Uint8Array(65536);
    this.#watch.watch(this.#master, POLL.readable, () => {
      const read = native.read(this.#master, chunk);
      if (read > 0) this.#read(chunk.slice(0, read));
    });
  }

  get ms(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  get offset(): number {
    return this.#bytes;
  }

  get output(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }

  /** The content of the screen, a line for each row. */
  get text(): string {
    return this.#text;
  }

  /** The time for which the screen has been the same. */
  get stillMs(): number {
    return this.ms - this.#changedAt;
  }

  get hasEnded(): boolean {
    return native.exitStatus(this.#pidfd) !== null;
  }

  /** Types one character after the other, as a user would. */
  async type(text: string, pauseMs = 12): Promise<void> {
    for (const character of text) {
      this.#send('i', character);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  paste(text: string): void {
    this.#send('i', Buffer.from(paste(Buffer.from(text), this.#follower.modes.state)).toString());
  }

  key(name: string): void {
    this.#send('i', Buffer.from(encodeKey(name, this.#follower.modes.state)!).toString());
  }

  resize(cols: number, rows: number): void {
    this.#size = { cols, rows };
    this.events.push([this.ms, 'r', cols, rows]);
    this.#model.resize(cols, rows);
    native.setSize(this.#master, { cols, rows });
    this.#look();
  }

  mark(label: string, truth: unknown): void {
    this.events.push([this.ms, 'm', label, this.#bytes, truth]);
  }

  [Symbol.dispose](): void {
    native.pidfdSignal(this.#pidfd, KILL);
    this.#watch.unwatch(this.#master);
    native.close(this.#slave);
    native.close(this.#master);
    this.#watch[Symbol.dispose]();
  }

  #read(piece: Uint8Array): void {
    this.events.push([this.ms, 'o', piece.length]);
    this.#pieces.push(piece);
    this.#follower.feed(piece);
    this.#paintTo(this.#bytes + piece.length);
    this.#bytes += piece.length;
    this.#look();
  }

  #paintTo(offset: number): void {
    if (offset <= this.#painted) return;
    const piece = this.#pieces.at(-1)!;
    this.#model.write(piece.subarray(this.#painted - this.#bytes, offset - this.#bytes));
    this.#painted = offset;
  }

  #answer(query: Query): void {
    if (!this.#options.answersQueries) return;
    this.#paintTo(query.end);
    const { cursor } = this.#model;
    const bytes = answerQuery(query, {
      cursor: { row: cursor.row + 1, column: cursor.col + 1 },
      modes: this.#follower.modes.state,
      size: { rows: this.#size.rows, columns: this.#size.cols },
      cellPixels: CELL_PIXELS,
      colours: this.#follower.colours,
      version: '0.1.0',
    });
    if (bytes) this.#send('q', Buffer.from(bytes).toString('latin1'));
  }

  #send(type: 'i' | 'q', text: string): void {
    this.events.push([this.ms, type, text]);
    native.write(this.#master, Buffer.from(text, type === 'q' ? 'latin1' : 'utf8'));
  }

  #look(): void {
    const text = this.#model.text().join('\n');
    if (text !== this.#text) this.#changedAt = this.ms;
    this.#text = text;
  }
}
