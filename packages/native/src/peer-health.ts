/**
 * Distinguishes a hung process from a late one.
 *
 * Silence proves nothing by itself: both processes may have been stopped (docker pause, a laptop's sleep, a debugger), or the
 * machine may be overloaded. Therefore, after silence the peer is asked, and then short ticks are counted, each at its nominal
 * length however long it really took: between two of them our own event loop has read all waiting data. A tick counts only as far
 * as the peer could have answered in it: a runnable process without processor time is starved, not hung. Keeps LIFE-7 and SPEED-20.
 */
import { readFileSync } from 'node:fs';
import { type Alarm, native } from './index.ts';

/** The silence after which a peer is asked. By then the peer has missed two pings of the holder. */
export const QUIET_MS = 3000;

/** The silence for a new process, which is still loading and may be slow. */
export const QUIET_AT_START_MS = 10_000;

/** The counted time of silence after which an asked peer counts as hung. Together with QUIET_MS it is below the promised 5 s. */
export const ANSWER_WITHIN_MS = 1500;

const TICK_MS = 100;

/**
 * The factor by which used processor time counts: a process in an endless loop shares the processor, so it need not use a whole
 * tick.
 */
const BUSY_FACTOR = 3;

/** The kernel's information about a process. */
export interface ProcessProgress {
  /** Whether the process runs, or would run if it had a processor. */
  readonly isRunnable: boolean;
  /** The processor time that it has used so far. */
  readonly usedMs: number;
}

export interface PeerHealthOptions {
  readonly pid: number;
  /** Sends a request that a healthy peer answers. */
  ask(): void;
  /** Called when the peer is hung. Called only once. */
  onHung(): void;
  /** The silence after which the peer is asked (default: QUIET_MS). */
  readonly quietMs?: number;
  /** The counted time of silence after which an asked peer counts as hung (default: ANSWER_WITHIN_MS). */
  readonly answerWithinMs?: number;
  /** Returns null if the kernel does not report it. */
  readonly progressOf?: (pid: number) => ProcessProgress | null;
}

export class PeerHealth {
  readonly #options: PeerHealthOptions;
  /** A healthy peer moves it with each message, and so wakes nothing. */
  readonly #alarm: Alarm;
  #isAsking = false;
  #isStarting = true;
  #isDue = false;
  /** The silence after which the peer is asked. */
  #silenceMs = QUIET_AT_START_MS;
  #countedMs = 0;
  #usedMs = 0;

  constructor(options: PeerHealthOptions) {
    this.#options = options;
    this.#alarm = native.createAlarm(() => (this.#isAsking ? this.#tick() : this.#doubt()));
    this.#alarm.set(QUIET_AT_START_MS);
  }

  /** Notes any message of the peer. */
  heard(): void {
    // A message that is sent during work may be the last one: only an answer shows that the peer still reads.
    if (this.#isAsking || this.#isStarting) {
      this.#isAsking = this.#isStarting = this.#isDue = false;
      this.#silenceMs = this.#options.quietMs ?? QUIET_MS;
    }
    this.#alarm.set(this.#silenceMs);
  }

  /** Notes that the peer got work: until it has answered, it is asked after QUIET_MS of silence, even if `quietMs` is longer. */
  expect(): void {
    if (this.#isAsking || this.#isStarting || this.#isDue) return;
    this.#isDue = true;
    this.#silenceMs = QUIET_MS;
    this.#alarm.set(QUIET_MS);
  }

  /** Ends the watch. */
  stop(): void {
    this.#alarm.close();
  }

  #doubt(): void {
    this.#isAsking = true;
    this.#countedMs = 0;
    this.#usedMs = this.#progress()?.usedMs ?? 0;
    this.#options.ask();
    this.#alarm.set(TICK_MS);
  }

  #tick(): void {
    this.#countedMs += this.#opportunityMs();
    if (this.#countedMs < (this.#options.answerWithinMs ?? ANSWER_WITHIN_MS)) return this.#alarm.set(TICK_MS);
    this.#alarm.close();
    this.#options.onHung();
  }

  /** Returns the part of the last tick that the peer could have used to answer. */
  #opportunityMs(): number {
    const progress = this.#progress();
    if (!progress) return TICK_MS;
    const usedMs = progress.usedMs - this.#usedMs;
    this.#usedMs = progress.usedMs;
    return progress.isRunnable ? Math.min(TICK_MS, usedMs * BUSY_FACTOR) : TICK_MS;
  }

  #progress(): ProcessProgress | null {
    return (this.#options.progressOf ?? progressOf)(this.#options.pid);
  }
}

/** Returns the progress of the main thread, which is the one that answers. */
export function progressOf(pid: number): ProcessProgress | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [usedNs = ''] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ');
    const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
    return { isRunnable: state === 'R', usedMs: Number(usedNs) / 1e6 };
  } catch {
    return null; // the process is gone, no fd is left for the read, or the kernel has no such statistics
  }
}
