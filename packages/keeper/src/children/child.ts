/**
 * A running child: its file descriptors, the pump that stores its output and the queue of its input. The fds of a
 * terminal are master, child's side, escrow pipe and pidfd; those of pipes are the three streams, for an agent the
 * escrow pipe of its input, and pidfd. Keeps
 * RUN-8: one system call signals the child and its group; and RUN-23 (`close`; decision 047).
 */
import { openSync } from 'node:fs';
import type { Log } from '@spool/store';
import { native, POLL } from '@spool/native';
import type { FdWatch } from '@spool/native/fd-watch';
import { type HeldSession, type Size, SpoolError } from '@spool/protocol';
import type { InputTerminal } from '../input/end-of-input.ts';
import { DirectSink, EscrowedSink, type OnWritten } from '../input/input-sink.ts';
import type { InputJournal } from '../input/journal.ts';
import { InputQueue } from '../input/queue.ts';
import { terminalReader } from '../input/terminal-reader.ts';
import { type LiveViewer, OutputPump, type PumpSource } from './output-pump.ts';
import type { OutputTicks } from './output-ticks.ts';

export interface ChildOptions {
  readonly held: HeldSession;
  readonly fds: readonly number[];
  readonly log: Log;
  readonly watch: FdWatch;
  readonly journal: InputJournal;
  /** The ticks for agents on pipes. */
  readonly ticks: OutputTicks | null;
  /** A viewer that sees the present; null for none. */
  live(): LiveViewer | null;
  /** Returns true if later output may wait for a tick. */
  onOutput(): boolean;
  onTrouble(trouble: string | null, from: number, to: number): void;
  /** Called when offsets below this are used or reserved. */
  onReserve(endAtLeast: number): void;
}

/** The number of fds, not counting an escrow pipe of the input. */
const PIPES_FDS = 4;

export class Child {
  readonly #watch: FdWatch;
  readonly #pump: OutputPump;
  readonly #input: InputQueue;
  #held: HeldSession;
  #fds: readonly number[];

  constructor({ held, fds, log, watch, journal, ticks, live, onOutput, onTrouble, onReserve }: ChildOptions) {
    this.#watch = watch;
    this.#held = held;
    this.#fds = fds;
    const quiet = this.isTerminal ? POLL.readable : 0;
    const inputFd = fds[0]!;
    const sink = this.hasInputEscrow ? new EscrowedSink(inputFd, fds[3]!, journal) : new DirectSink(inputFd);
    this.#input = new InputQueue(sink, (wanted) => watch.change(inputFd, wanted ? quiet | POLL.writable : quiet));
    const sources: readonly PumpSource[] = this.isTerminal
      ? [{ fd: fds[0]!, stream: 'stdout', pipe: fds[2]! }]
      : [
          { fd: fds[1]!, stream: 'stdout', pipe: -1 },
          { fd: fds[2]!, stream: 'stderr', pipe: -1 },
        ];
    this.#pump = new OutputPump({
      log,
      sources,
      watch,
      ticks,
      live,
      onOutput,
      onTrouble,
      onReserve: (endAtLeast) => {
        this.#held = { ...this.#held, endAtLeast };
        onReserve(endAtLeast);
      },
    });
  }

  /** Starts to store its output, including the output so far. */
  start(session: string): void {
    const input = this.#input;
    if (this.#held.isInputClosed) input.close(new SpoolError('INPUT_CLOSED', { session }));
    else if (!this.isTerminal) this.#watch.watch(this.#fds[0]!, 0, () => input.flush());
    this.#pump.start(() => input.flush());
    if (!this.isTerminal) input.flush(); // bytes that an earlier keeper has left in the escrow pipe
  }

  get isTerminal(): boolean {
    return this.#held.kind === 'pty';
  }

  /** Whether input is recorded before it can arrive. */
  get hasInputEscrow(): boolean {
    return !this.isTerminal && this.#fds.length > PIPES_FDS;
  }

  /** The number of bytes that are queued, but not yet in the terminal; only this process has them. */
  get queuedBytes(): number {
    return this.#input.bytes;
  }

  /** The number of bytes that are typed, but not yet read by the child: a terminal may echo them nevertheless. */
  get unreadBytes(): number {
    return native.available(this.#fds[this.isTerminal ? 1 : 0]!);
  }

  /** Whether its terminal hands over whole lines, and truncates long ones. */
  get readsByLine(): boolean {
    return this.isTerminal && native.isCanonical(this.#fds[0]!);
  }

  /** The state and the fds that a new holder must get. */
  get handOver(): { readonly session: HeldSession; readonly fds: readonly number[] } {
    return { session: this.#held, fds: this.#fds };
  }

  push(bytes: Uint8Array, onWritten?: OnWritten): Promise<void> {
    return this.#input.push(bytes, onWritten);
  }

  /** Stores its output so far at once. */
  takeOutput(): void {
    this.#pump.take();
  }

  /** Reports the end of the log to the holder. */
  noteEnd(): void {
    this.#pump.noteEnd();
  }

  /** Whether its output is taken at ticks. */
  get isCalm(): boolean {
    return this.#pump.isCalm;
  }

  /** Ends the wait for a tick, because a client waits for the next output. */
  hurry(): void {
    this.#pump.hurry();
  }

  /** Sends one signal to the child and to each other process of its group, which it leads for as long as it lives. */
  signal(signal: number): void {
    native.pidfdSignalGroup(this.#fds.at(-1)!, this.#held.pid, signal);
  }

  setSize({ cols, rows, widthPx = 0, heightPx = 0 }: Size): void {
    native.setSize(this.#fds[0]!, { cols, rows, widthPx, heightPx });
  }

  /** Its terminal, as the code that ends its input needs it. It is valid until `close`. */
  get inputTerminal(): InputTerminal {
    const [master, slave] = this.#fds as readonly [number, number];
    const input = this.#input;
    const { pid } = this.#held;
    return {
      get isCanonical() {
        return native.isCanonical(master);
      },
      get endOfFileKey() {
        return native.endOfFileKey(master);
      },
      get hasUnread() {
        return input.bytes > 0 || native.isReadable(slave);
      },
      get reader() {
        return terminalReader(pid);
      },
      type: (key) => void input.push(Uint8Array.of(key)).catch(() => {}), // the child has ended
    };
  }

  /** Stops the echo of its terminal. */
  stopEcho(): void {
    if (this.isTerminal) native.stopEcho(this.#fds[1]!);
  }

  /** Closes its pipe once all queued input is written. Returns false if the pipe was already closed. */
  async closeInput(session: string): Promise<boolean> {
    if (this.#held.isInputClosed) return false;
    await this.#input.push(new Uint8Array(0));
    if (this.#held.isInputClosed || this.#fds.length === 0) return false; // it was closed, or has ended, meanwhile
    const [stdin, ...others] = this.#fds;
    this.#watch.unwatch(stdin!);
    native.close(stdin!);
    this.#input.close(new SpoolError('INPUT_CLOSED', { session }));
    this.#fds = [openSync('/dev/null', 'w'), ...others];
    this.#held = { ...this.#held, isInputClosed: true };
    return true;
  }

  /** Stores the rest of the output of a child that is gone. */
  drain(): void {
    this.#pump.drain();
  }

  /** Closes its fds. Waiting input is refused. */
  close(session: string): void {
    this.#pump.stop();
    this.#input.close(new SpoolError('SESSION_EXITED', { session }));
    for (const fd of this.#fds) {
      this.#watch.unwatch(fd);
      native.close(fd);
    }
    this.#fds = [];
  }
}
