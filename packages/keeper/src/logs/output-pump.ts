/**
 * Moves a child's output into its log, and nowhere else: the bytes never pass through this process, so a kill at any
 * instruction leaves each of them in the terminal, in the escrow pipe or in the log.
 *
 * When the log cannot take them (disk full, no fds, read-only), the child goes on: its output is counted and dropped, the
 * hole is exact, and the log is tried again as soon as there is something to write.
 */
import { openSync } from 'node:fs';
import type { Log, LogStream } from '@spool/core';
import { native, POLL, TRANSFER } from '@spool/native';
import type { FdWatch } from '@spool/native/fd-watch';
import { getSystemErrorName } from 'node:util';

/** What one session may move before others have their turn. */
const TURN_BYTES = 256 * 1024;

/** After the child's end: more than terminal and pipe can hold, so nothing of it is left; a grandchild may write for ever. */
const DRAIN_BYTES_MAX = 4 * 1024 * 1024;

const RETRY_MS = 100;

/** Offsets are promised in strides while bytes are dropped, so that one told to the world is never given twice. */
const RESERVE_BYTES = 1024 * 1024;

export interface Source {
  readonly fd: number;
  readonly stream: LogStream;
  /** The escrow pipe that its bytes pass through, or -1 where the source is a pipe itself. */
  readonly pipe: number;
}

export interface PumpOptions {
  readonly log: Log;
  readonly sources: readonly Source[];
  readonly watch: FdWatch;
  /** The log has grown. */
  onOutput(): void;
  /** The log does not take bytes (a sentence), or takes them again (null) after the hole [from, to). */
  onTrouble(trouble: string | null, from: number, to: number): void;
  /** Offsets below this are spoken for: to be remembered by somebody whom the full disk does not hinder. */
  onReserve(endAtLeast: number): void;
}

export class OutputPump {
  readonly #options: PumpOptions;
  readonly #open: Set<Source>;
  #trouble: { readonly from: number; retryAt: number; reserved: number } | null = null;

  constructor(options: PumpOptions) {
    this.#options = options;
    this.#open = new Set(options.sources);
  }

  /** `onWritable` shares the watch on a terminal's fd, which is for reading and writing. */
  start(onWritable?: () => void): void {
    for (const source of this.#open) {
      this.#options.watch.watch(source.fd, POLL.readable, (events) => {
        if (events & POLL.writable) onWritable?.();
        if (events & ~POLL.writable) this.#turn(source, TURN_BYTES);
      });
    }
  }

  /** The child has ended: takes what it left. */
  drain(): void {
    for (const source of this.#open) this.#turn(source, DRAIN_BYTES_MAX, { isLast: true });
  }

  /** Takes what the child has written by now, without waiting to be told of it. */
  take(): void {
    for (const source of this.#open) this.#turn(source, TURN_BYTES);
  }

  stop(): void {
    for (const source of this.#open) this.#options.watch.unwatch(source.fd);
    this.#open.clear();
  }

  #turn(source: Source, mostBytes: number, { isLast = false } = {}): void {
    const { log, onOutput } = this.#options;
    const before = log.end;
    let status: number = TRANSFER.budget;
    const mayHaveMore = (): boolean => status === TRANSFER.budget || (isLast && status === TRANSFER.few);
    while (mayHaveMore() && log.end - before < mostBytes) {
      status = this.#isDropping() ? this.#drop(source) : this.#store(source, mostBytes - (log.end - before));
    }
    if (status === TRANSFER.ended) {
      this.#options.watch.unwatch(source.fd);
      this.#open.delete(source);
    }
    if (log.end > before) onOutput();
  }

  #store(source: Source, mostBytes: number): number {
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

  /** The caller goes on, and drops. */
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

  #drop(source: Source): number {
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
    // The hole is on the disk now: without this the next keeper would make it as wide as what was promised.
    onReserve(log.end);
  }
}

const result = new Int32Array(2);

let devNullFd = -1;

/** Opened before it is needed: when it is, there may be no fd left. */
export function devNull(): number {
  if (devNullFd === -1) devNullFd = openSync('/dev/null', 'w');
  return devNullFd;
}
