/**
 * Distinguishes a hung process from a late one.
 *
 * Silence proves nothing by itself: both processes may have been stopped (docker pause, a laptop's sleep, a debugger),
 * or the machine may be overloaded. So after silence we ask the peer, and then count short ticks, each at its nominal
 * length however long it really took: between two of them our own event loop has read everything that waited for us. A
 * tick counts only as far as the peer could have answered in it: a process that is runnable and gets no processor time
 * is starved, not hung. Keeps LIFE-7.
 */
import { readFileSync } from 'node:fs';

/** A peer that is silent for this long is asked. It has then missed two pings of the holder. */
export const QUIET_MS = 3000;

/** A new process is still loading, which may be slow. */
export const QUIET_AT_START_MS = 10_000;

/** After asking, silence through this much counted time means hung. With QUIET_MS it stays below the promised 5 s. */
export const ANSWER_WITHIN_MS = 1500;

const TICK_MS = 100;

/** A process in an endless loop shares the processor with others: it need not have used all of a tick. */
const BUSY_FACTOR = 3;

/** The kernel's information about a process. */
export interface Progress {
  /** It runs, or would if it had a processor. */
  readonly isRunnable: boolean;
  /** Processor time that it has used so far. */
  readonly usedMs: number;
}

export interface PeerHealthOptions {
  readonly pid: number;
  /** Sends something that a healthy peer answers. */
  ask(): void;
  /** The peer is hung. Called once. */
  onHung(): void;
  /** How long silence is not doubted (default: QUIET_MS). */
  readonly quietMs?: number;
  /** Null when the kernel does not report it. */
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

  /** The peer has sent something, no matter what. */
  heard(): void {
    if (!this.#isAsking && !this.#isStarting) {
      this.#timer.refresh();
      return;
    }
    this.#isAsking = this.#isStarting = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#doubt(), this.#options.quietMs ?? QUIET_MS);
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
    return null; // gone, no fd left to read it, or a kernel without these statistics
  }
}
