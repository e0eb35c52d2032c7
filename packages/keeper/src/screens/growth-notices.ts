/**
 * Decides when to notify the screen thread that a log has grown. Keeps SCR-40 and SCR-41.
 *
 * A session that was quiet is reported at once: its program may have queried its terminal, and waits for the answer (fish for ten
 * seconds). Sessions that write steadily and query nothing are reported together at common ticks, in one message. The more such
 * sessions there are, the longer the ticks: 60 screens of 10 frames a second cost a third of what they cost when each frame is a
 * separate message (decision 024). Output that was taken from its terminal at a tick (decision 039) has waited long enough, and is
 * reported at once.
 *
 * Time is an input, in milliseconds of a monotonic clock.
 */

/**
 * The delay of a notice: the output of one burst comes in pieces, and the thread wakes up once for all of them, never in the middle
 * of an echo.
 */
export const TELL_AFTER_MS = 3;

/** The number of notices in a second, without a query, from which on a session counts as steady. */
const STEADY_NOTICES = 5;
const WINDOW_MS = 1000;
/** The time after input within which output may be a reaction to it, or a dialog. */
const EAGER_MS = 1000;

/** The tick of one steady session; each further session makes it longer. */
const TICK_MS_MIN = 20;
const TICK_MS_MAX = 100;
const TICK_MS_PER_SESSION = 0.4;

/**
 * The minimum of steady sessions for a rest: with fewer, taking each piece of output at once costs little, and its time is exact.
 */
const REST_SESSIONS_MIN = 16;

/**
 * A session that floods is reported at longer intervals, so that the thread skips most of it instead of parsing it all: storing the
 * bytes needs the processor.
 */
const FLOOD_BYTES = 128 * 1024;
const FLOOD_MS = 200;

/** The state of one session's log; `end`, `reached` and `toldEnd` are offsets. */
export class Growth {
  readonly id: string;
  end: number;
  /** The end that was reported to the thread, and the offset that the thread has reached. */
  toldEnd: number;
  reached: number;
  /** The time of the last growth, in milliseconds since 1970. */
  grownAt = 0;
  /** The time at which a client typed, if that was after the last notice. */
  typedAt: number | null = null;
  /** Whether the input ended with Enter. */
  isEntered = false;
  /** Whether the output is taken at ticks. */
  isCalm = false;
  isSteady = false;
  /** The remaining fields are private to `GrowthNotices`. */
  dueAt = Infinity;
  notBefore = 0;
  eagerUntil = 0;
  windowAt = 0;
  notices = 0;
  noticesBefore = 0;
  /** The window in which the session was last counted as steady. */
  steadyIn = -1;

  constructor(id: string, end: number, reached: number) {
    this.id = id;
    this.end = end;
    this.toldEnd = end;
    this.reached = reached;
  }
}

export class GrowthNotices {
  readonly #waiting = new Set<Growth>();
  #tickAt = 0;
  #tickMs = TICK_MS_MIN;
  #dueAt = Infinity;
  /** The number of steady sessions in the last whole window, and so far in this one. */
  #steady = 0;
  #steadySoFar = 0;
  #window = 0;

  /** The time for which output may rest in the terminals of steady sessions; 0 means that it may not. */
  get restMs(): number {
    return this.#steady >= REST_SESSIONS_MIN ? this.#tickMs : 0;
  }

  /** The time at which `take` will return a log; Infinity if none waits. */
  get dueAt(): number {
    return this.#dueAt;
  }

  grown(growth: Growth, now: number): void {
    if (growth.dueAt !== Infinity) return;
    growth.isSteady = this.#isSteady(growth, now);
    const waits = growth.isSteady && !growth.isCalm;
    growth.dueAt = Math.max(growth.notBefore, waits ? this.#nextTick(now) : now + TELL_AFTER_MS);
    this.#waiting.add(growth);
    this.#dueAt = Math.min(this.#dueAt, growth.dueAt);
  }

  /** Notes input: the reaction to it should be seen soon. */
  typed(growth: Growth, now: number): void {
    growth.eagerUntil = now + EAGER_MS;
    growth.isSteady = false;
    if (growth.dueAt === Infinity) return;
    growth.dueAt = Math.min(growth.dueAt, now + TELL_AFTER_MS);
    this.#dueAt = Math.min(this.#dueAt, growth.dueAt);
  }

  /** Notes that the program queries its terminal: the next query should not wait. */
  asked(growth: Growth): void {
    growth.notices = 0;
    growth.noticesBefore = 0;
    growth.isSteady = false;
  }

  forget(growth: Growth): void {
    this.#waiting.delete(growth);
  }

  /**
   * Returns the logs that are due, each with its new end as `toldEnd`. A log that the thread is still processing is reported
   * later.
   */
  take(now: number): Growth[] {
    const due: Growth[] = [];
    let next = Infinity;
    this.#turnWindow(Math.floor(now / WINDOW_MS));
    for (const growth of this.#waiting) {
      if (growth.dueAt > now) {
        next = Math.min(next, growth.dueAt);
        continue;
      }
      this.#waiting.delete(growth);
      growth.dueAt = Infinity;
      if (growth.reached < growth.toldEnd) continue; // the rest is reported when the thread has caught up
      if (growth.end - growth.toldEnd > FLOOD_BYTES) growth.notBefore = now + FLOOD_MS;
      growth.toldEnd = growth.end;
      this.#count(growth, now);
      due.push(growth);
    }
    this.#dueAt = next;
    return due;
  }

  #turnWindow(window: number): void {
    if (window === this.#window) return;
    this.#steady = window === this.#window + 1 ? this.#steadySoFar : 0;
    this.#steadySoFar = 0;
    this.#window = window;
    this.#tickMs = Math.min(TICK_MS_MAX, TICK_MS_MIN + this.#steady * TICK_MS_PER_SESSION);
  }

  #nextTick(now: number): number {
    if (this.#tickAt <= now) this.#tickAt = now + this.#tickMs;
    return this.#tickAt;
  }

  #isSteady(growth: Growth, now: number): boolean {
    if (now < growth.eagerUntil || now - growth.windowAt >= 2 * WINDOW_MS) return false;
    return growth.notices >= STEADY_NOTICES || growth.noticesBefore >= STEADY_NOTICES;
  }

  #count(growth: Growth, now: number): void {
    if (now - growth.windowAt >= WINDOW_MS) {
      growth.noticesBefore = now - growth.windowAt < 2 * WINDOW_MS ? growth.notices : 0;
      growth.notices = 0;
      growth.windowAt = now;
    }
    growth.notices++;
    if (!growth.isSteady || growth.steadyIn === this.#window) return;
    growth.steadyIn = this.#window;
    this.#steadySoFar++;
  }
}
