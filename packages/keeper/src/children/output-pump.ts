/**
 * Moves a child's output directly into its log: the bytes never pass through this process, so a kill at any instruction leaves
 * each of them in the terminal, in the escrow pipe or in the log. Keeps LOG-1, LOG-2 and LOG-6.
 *
 * When the log cannot take the bytes (disk full, no fds, read-only), the child continues: its output is counted and
 * dropped, the gap is exact, and the log is tried again with the next output. Keeps RUN-6: output is stored whether or
 * not a client watches.
 *
 * If no client waits for it, the output of many sessions that print a little all the time is taken together, at ticks (decision
 * 039). The output of an agent that streams is taken at ticks too (`output-ticks.ts`).
 *
 * Keeps ATT-15: a viewer that waits for the echo of a key gets it in the same call that stores it; the bookkeeping follows.
 */
import { openSync } from 'node:fs';
import type { Log, LogStream } from '@spool/store';
import { native, POLL, TRANSFER } from '@spool/native';
import type { FdWatch } from '@spool/native/fd-watch';
import { getSystemErrorName } from 'node:util';
import type { OutputTicks } from './output-ticks.ts';

/** The maximum of bytes that one session moves before the others get their turn. */
const TURN_BYTES = 256 * 1024;

/**
 * The limit after the child's end: more than terminal and pipe can hold, so all its output is stored; a grandchild may write
 * forever.
 */
const DRAIN_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Pieces of this size never fill a terminal (4 KiB, and 8 KiB in front of it) between two ticks, so the program does not wait for
 * us. The number of small pieces in a row that must come first after a larger one.
 */
const CALM_BYTES_MAX = 2048;
const CALM_TURNS = 16;

/**
 * The largest output that is sent to a waiting viewer at once, before any other work: the echo of a key and what a program draws
 * after it. Larger output is a flood, which is better sent in large pieces.
 */
const RELAY_BYTES_MAX = 1024;
/** Room for that output, its header, and the acknowledgements that are sent with it. */
const RELAY_FRAME_BYTES = RELAY_BYTES_MAX + 1024;

const RETRY_MS = 100;

/** While bytes are dropped, offsets are reserved in strides, so that an announced offset is never used twice. */
const RESERVE_BYTES = 1024 * 1024;

export interface PumpSource {
  readonly fd: number;
  readonly stream: LogStream;
  /** The escrow pipe for the bytes, or -1 if the source itself is a pipe. */
  readonly pipe: number;
}

/** The viewer is a `Watcher`. */
export interface LiveViewer {
  readonly relay: { readonly fd: number; readonly bytesMax: number } | null;
  beginRelay(frame: Uint8Array, bytesMax: number): number;
  endRelay(frame: Uint8Array, sentBytes: number, logBytes: number): void;
}

export interface PumpOptions {
  readonly log: Log;
  readonly sources: readonly PumpSource[];
  readonly watch: FdWatch;
  /** A viewer that sees the present, and may be sent the next output at once; null for none. */
  readonly live?: () => LiveViewer | null;
  /** The ticks at which the streams of agents are taken. */
  readonly ticks?: OutputTicks | null;
  /** Called when the log has grown. Returns true if later output may wait for a tick. */
  onOutput(): boolean;
  /** Called when the log refuses bytes (an error message), or accepts them again (null) after the gap [from, to). */
  onTrouble(trouble: string | null, from: number, to: number): void;
  /** Called when offsets below this are used or reserved. The receiver must remember this without the disk. */
  onReserve(endAtLeast: number): void;
}

export class OutputPump {
  readonly #options: PumpOptions;
  readonly #open: Set<PumpSource>;
  /** The number of small pieces in a row that could have waited. */
  #calmTurns = 0;
  /** Whether the last turn moved more than is sent to a viewer at once. */
  #isFlood = false;
  #trouble: { readonly from: number; retryAt: number; reserved: number } | null = null;

  constructor(options: PumpOptions) {
    this.#options = options;
    this.#open = new Set(options.sources);
  }

  /** Starts the pump. `onWritable` shares the watch on a terminal's fd, which is for reading and writing. */
  start(onWritable?: () => void): void {
    for (const source of this.#open) {
      this.#options.watch.watch(source.fd, POLL.readable, (events) => {
        if (events & POLL.writable) onWritable?.();
        if (events & ~POLL.writable) this.#turn(source, TURN_BYTES);
      });
    }
  }

  /** Stores the rest of the output of a child that has ended. */
  drain(): void {
    for (const source of this.#open) this.#turn(source, DRAIN_BYTES_MAX, { isLast: true });
  }

  /** Stores the present output of the child, without waiting for a notification; returns the number of bytes. */
  take(): number {
    const { log } = this.#options;
    const before = log.end;
    for (const source of this.#open) this.#turn(source, TURN_BYTES);
    return log.end - before;
  }

  /** Reports the end of the log. Dropped output has a reservation, which reaches further. */
  noteEnd(): void {
    if (this.#trouble === null) this.#options.onReserve(this.#options.log.end);
  }

  /** Sets, for the ticks, whether output is stored as soon as it comes. */
  setReported(isReported: boolean): void {
    for (const { fd } of this.#open) this.#options.watch.change(fd, isReported ? POLL.readable : 0);
  }

  /** Whether the output is taken at ticks. */
  get isCalm(): boolean {
    return this.#calmTurns >= CALM_TURNS;
  }

  /** Ends the wait for a tick, because a client waits for the next output. */
  hurry(): void {
    if (this.isCalm) for (const { fd } of this.#open) this.#options.watch.setCalm(fd, false);
    this.#calmTurns = 0;
    this.#options.ticks?.hurry(this);
  }

  stop(): void {
    this.#options.ticks?.hurry(this);
    for (const source of this.#open) this.#options.watch.unwatch(source.fd);
    this.#open.clear();
  }

  #turn(source: PumpSource, mostBytes: number, { isLast = false } = {}): void {
    const { log, onOutput } = this.#options;
    const before = log.end;
    let status: number = TRANSFER.budget;
    if (!this.#isFlood && source.pipe !== -1 && this.#trouble === null) status = this.#relay(source);
    const mayHaveMore = (): boolean => status === TRANSFER.budget || (isLast && status === TRANSFER.few);
    while (mayHaveMore() && log.end - before < mostBytes) {
      status = this.#isDropping() ? this.#drop(source) : this.#store(source, mostBytes - (log.end - before));
    }
    if (status === TRANSFER.ended) {
      this.#options.watch.unwatch(source.fd);
      this.#open.delete(source);
    }
    const bytes = log.end - before;
    this.#isFlood = bytes > RELAY_BYTES_MAX;
    if (bytes === 0) return;
    const mayRest = onOutput();
    if (this.#options.ticks) return this.#options.ticks.took(this, bytes);
    if (!mayRest || bytes > CALM_BYTES_MAX) return this.hurry();
    this.#calmTurns++;
    if (this.isCalm) this.#options.watch.setCalm(source.fd, true);
  }

  /** Stores a little, and sends it to a viewer that waits for it. The bookkeeping follows. */
  #relay(source: PumpSource): number {
    const viewer = this.#options.live?.() ?? null;
    const relay = viewer?.relay ?? null;
    if (viewer === null || relay === null) return TRANSFER.budget;
    const { log } = this.#options;
    let sink;
    try {
      sink = log.sink(source.stream);
    } catch {
      return TRANSFER.budget; // the next attempt reports it
    }
    const bytesMax = Math.min(RELAY_BYTES_MAX, sink.roomBytes, relay.bytesMax);
    const head = viewer.beginRelay(frame, bytesMax);
    if (head === 0) return TRANSFER.budget;
    relayed[2] = head;
    native.relay(source.fd, source.pipe, sink.fd, sink.position, bytesMax, relay.fd, frame, relayed);
    const bytes = relayed[0]!;
    const status = relayed[1]!;
    const sent = relayed[2]!;
    if (bytes > 0) {
      log.advance(bytes, Date.now());
      if (sent >= 0) viewer.endRelay(frame.subarray(0, head + bytes), sent, bytes);
    }
    return status < 0 ? this.#fail(getSystemErrorName(status)) : status;
  }

  #store(source: PumpSource, mostBytes: number): number {
    const { log } = this.#options;
    let sink;
    try {
      sink = log.sink(source.stream);
    } catch (error) {
      return this.#fail((error as NodeJS.ErrnoException).code ?? (error as Error).message);
    }
    native.transfer(source.fd, source.pipe, sink.fd, sink.position, Math.min(sink.roomBytes, mostBytes), result);
    const bytes = result[0]!;
    const status = result[1]!;
    if (bytes > 0) {
      const hole = this.#trouble;
      if (hole) this.#recovered(hole.from);
      log.advance(bytes, Date.now());
    }
    return status < 0 ? this.#fail(getSystemErrorName(status)) : status;
  }

  /** Records the failure; the caller continues, and drops bytes. */
  #fail(code: string): number {
    const { log, onTrouble } = this.#options;
    const isNews = this.#trouble === null;
    this.#trouble ??= { from: log.end, retryAt: 0, reserved: 0 };
    this.#trouble.retryAt = performance.now() + RETRY_MS;
    if (isNews) onTrouble(`the log cannot be written (${code}); output is being dropped`, log.end, log.end);
    return TRANSFER.budget;
  }

  #isDropping(): boolean {
    return this.#trouble !== null && performance.now() < this.#trouble.retryAt;
  }

  #drop(source: PumpSource): number {
    const { log, onReserve } = this.#options;
    const trouble = this.#trouble!;
    if (log.end + TURN_BYTES > trouble.reserved) {
      trouble.reserved = log.end + RESERVE_BYTES;
      onReserve(trouble.reserved);
    }
    native.transfer(source.fd, source.pipe, devNull(), 0, TURN_BYTES, result);
    if (result[0]! > 0) log.skip(result[0]!, Date.now());
    return result[1]! < 0 ? TRANSFER.drained : result[1]!;
  }

  #recovered(from: number): void {
    const { log, onReserve, onTrouble } = this.#options;
    this.#trouble = null;
    onTrouble(null, from, log.end);
    // The gap is now on disk; without this call, the next keeper would make it as wide as the reservation.
    onReserve(log.end);
  }
}

const result = new Int32Array(2);
const relayed = new Int32Array(3);
const frame = new Uint8Array(RELAY_FRAME_BYTES);

let devNullFd = -1;

/** Opens /dev/null in advance, because there may be no free fd when it is needed. */
export function devNull(): number {
  if (devNullFd === -1) devNullFd = openSync('/dev/null', 'w');
  return devNullFd;
}
