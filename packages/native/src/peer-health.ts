/**
 * Tells a process that hangs from one that is only late.
 *
 * Silence proves nothing by itself: both processes may have been stopped (docker pause, a laptop's sleep, a debugger), or
 * the machine may be so busy that nobody runs. So silence only makes us ask again, and then we count. We count short
 * ticks, each at its nominal length however long it really took: between two of them our own loop has read everything that
 * waited for us. A tick counts only as far as the other process could have answered in it: one that wants to run and gets
 * no processor time is starved, not hung.
 */
import { readFileSync } from 'node:fs';

/** Whoever says nothing for this long is asked. Two pings of the holder are missing by then. */
export const QUIET_MS = 3000;

/** A new process is loading itself, and may be slow at that. */
export const QUIET_AT_START_MS = 10_000;

/** After asking, silence through this much counted time means hung. With QUIET_MS it stays below the promised 5 s. */
export const ANSWER_WITHIN_MS = 1500;

const TICK_MS = 100;

/** A process in an endless loop shares the processor with others: it need not have used all of a tick. */
const BUSY_FACTOR = 3;

/** What the kernel says of a process. */
export interface Progress {
  /** It runs, or would if it were given a processor. */
  readonly isRunnable: boolean;
  /** Processor time that it has used so far. */
  readonly usedMs: number;
}

export interface PeerHealthOptions {
  readonly pid: number;
  /** Sends something that a healthy peer answers. */
  ask(): void;
  /** It hangs. Called once. */
  onHung(): void;
  /** Null when the kernel does not tell. */
  readonly progressOf?: (pid: number) => Progress | null;
}

export class PeerHealth {
  readonly #options: PeerHealthOptions;
  #timer: NodeJS.Timeout;
  #isAsking = false;
  #isStarting = true;
  #countedMs = 0;
  #usedMs = 0;

  constructor(options: PeerHealthOptions) {
    this.#options = options;
    this.#timer = setTimeout(() => this.#doubt(), QUIET_AT_START_MS);
  }

  /** The peer has said something, no matter what. */
  heard(): void {
    if (!this.#isAsking && !this.#isStarting) {
      this.#timer.refresh();
      return;
    }
    this.#isAsking = this.#isStarting = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#doubt(), QUIET_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #doubt(): void {
    this.#isAsking = true;
    this.#countedMs = 0;
    this.#usedMs = this.#progress()?.usedMs ?? 0;
    this.#options.ask();
    this.#timer = setTimeout(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    this.#countedMs += this.#opportunityMs();
    if (this.#countedMs >= ANSWER_WITHIN_MS) this.#options.onHung();
    else this.#timer = setTimeout(() => this.#tick(), TICK_MS);
  }

  /** How much of the last tick the peer could have used to answer. */
  #opportunityMs(): number {
    const progress = this.#progress();
    if (!progress) return TICK_MS;
    const usedMs = progress.usedMs - this.#usedMs;
    this.#usedMs = progress.usedMs;
    return progress.isRunnable ? Math.min(TICK_MS, usedMs * BUSY_FACTOR) : TICK_MS;
  }

  #progress(): Progress | null {
    return (this.#options.progressOf ?? progressOf)(this.#options.pid);
  }
}

/** Of the main thread, which is the one that answers. */
export function progressOf(pid: number): Progress | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [usedNs = ''] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ');
    const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
    return { isRunnable: state === 'R', usedMs: Number(usedNs) / 1e6 };
  } catch {
    return null; // gone, no fd left to look, or a kernel that does not keep count
  }
}
