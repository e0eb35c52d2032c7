/**
 * The cost of drawing output: the CPU time of this thread, so that other programs do not change it. The number of bytes does not
 * predict it: a megabyte of plain lines takes 1 ms, of coloured text with cursor moves 15 ms, of scrolled or cleared screens up to
 * some seconds. Keeps SCR-8.
 */

/** The limit of drawing between two keyframes. */
export const REPLAY_MS_MAX = 500;

/** The rate before the first measurement: that of coloured text with cursor moves. */
const MS_PER_BYTE = 15 / (1024 * 1024);

/** The part that is measured for a new rate, because the system counts the time of a thread in steps of up to some milliseconds. */
const RATE_BYTES = 1024 * 1024;
const RATE_MS = 10;

/** The sizes of a piece. */
const PIECE_BYTES_MIN = 2 * 1024;
const PIECE_BYTES_MAX = 64 * 1024;

/** Returns the CPU time of the calling thread. */
export type CpuClock = () => number;

export const threadCpuMs: CpuClock = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

export class DrawingCost {
  readonly #cpuMs: CpuClock;
  #sinceMs = 0;
  #rate = MS_PER_BYTE;
  /** The part that is measured for the next rate. */
  #partBytes = 0;
  #partMs = 0;

  constructor(cpuMs: CpuClock = threadCpuMs) {
    this.#cpuMs = cpuMs;
  }

  /** The time that drawing takes from the last keyframe to the present offset. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  /** Draws, and counts the time for these bytes. */
  draw(bytes: number, deed: () => void): void {
    const before = this.#cpuMs();
    deed();
    const ms = this.#cpuMs() - before;
    this.#sinceMs += ms;
    this.#partMs += ms;
    this.#partBytes += bytes;
    if (this.#partBytes < RATE_BYTES && this.#partMs < RATE_MS) return;
    this.#rate = this.#partMs / Math.max(1, this.#partBytes);
    this.#partMs = this.#partBytes = 0;
  }

  /** Counts bytes that are skipped, at the present rate. */
  pass(bytes: number): void {
    this.#sinceMs += this.msOf(bytes);
  }

  /** Returns the expected time for this many bytes. */
  msOf(bytes: number): number {
    return bytes * this.#rate;
  }

  /** Returns the size of a piece that takes about this long. */
  pieceOf(ms: number): number {
    return Math.min(PIECE_BYTES_MAX, Math.max(PIECE_BYTES_MIN, Math.floor(ms / Math.max(this.#rate, Number.EPSILON))));
  }

  /** Starts counting again after a keyframe. */
  kept(): void {
    this.#sinceMs = 0;
  }
}
