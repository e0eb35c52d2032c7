/**
 * When the thread for screens is told that a log has grown.
 *
 * A session that was quiet is told of at once: its program may have asked its terminal something, and waits (fish for ten
 * seconds). One that writes steadily and asks nothing is told of at common ticks, with all the others in one message. The
 * more such sessions there are, the longer the ticks: 60 screens of 10 frames a second cost a third of what they cost when
 * each frame is a message of its own (decision 024).
 *
 * Time is an input, in milliseconds of a clock that only goes forward.
 */

/** Output of one burst comes in pieces: the thread is woken once for all of them, and never in the middle of an echo. */
export const TELL_AFTER_MS = 3;

/** Told of this often in a second, without a query: it writes steadily. */
const STEADY_NOTICES = 5;
const WINDOW_MS = 1000;
/** Somebody has just typed: what comes may be an answer, or a dialog. */
const EAGER_MS = 1000;

/** The ticks of steady sessions: this long with one of them, and longer with each. */
const TICK_MS_MIN = 20;
const TICK_MS_MAX = 100;
const TICK_MS_PER_SESSION = 0.4;

/**
 * A session that floods is told of at longer intervals, so that the thread skips most of it instead of parsing it all: the
 * processor is needed for the bytes.
 */
const FLOOD_BYTES = 128 * 1024;
const FLOOD_MS = 200;

/** What is known of one session's log; `end`, `reached` and `toldEnd` are offsets. */
export class Growth {
  readonly id: string;
  end: number;
  /** What the thread has been told, and what it said it has reached. */
  toldEnd: number;
  reached: number;
  /** When it last grew, in milliseconds since 1970. */
  grownAt = 0;
  /** When somebody typed, since it was last told of. */
  typedAt: number | null = null;
  /** The rest is for `GrowthNotices` alone. */
  dueAt = Infinity;
  notBefore = 0;
  eagerUntil = 0;
  windowAt = 0;
  notices = 0;
  noticesBefore = 0;

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

  /** When `take` has something to give; Infinity when nothing waits. */
  get dueAt(): number {
    return this.#dueAt;
  }

  grown(growth: Growth, now: number): void {
    if (growth.dueAt !== Infinity) return;
    growth.dueAt = Math.max(growth.notBefore, this.#isSteady(growth, now) ? this.#nextTick(now) : now + TELL_AFTER_MS);
    this.#waiting.add(growth);
    this.#dueAt = Math.min(this.#dueAt, growth.dueAt);
  }

  /** What comes of it should be seen soon. */
  typed(growth: Growth, now: number): void {
    growth.eagerUntil = now + EAGER_MS;
    if (growth.dueAt === Infinity) return;
    growth.dueAt = Math.min(growth.dueAt, now + TELL_AFTER_MS);
    this.#dueAt = Math.min(this.#dueAt, growth.dueAt);
  }

  /** It asks its terminal questions: the next one should not wait. */
  asked(growth: Growth): void {
    growth.notices = 0;
    growth.noticesBefore = 0;
  }

  forget(growth: Growth): void {
    this.#waiting.delete(growth);
  }

  /** Those that are due, each with its new end as `toldEnd`. One that the thread is still busy with is told of later. */
  take(now: number): Growth[] {
    const due: Growth[] = [];
    let next = Infinity;
    let steady = 0;
    for (const growth of this.#waiting) {
      if (this.#isSteady(growth, now)) steady++;
      if (growth.dueAt > now) {
        next = Math.min(next, growth.dueAt);
        continue;
      }
      this.#waiting.delete(growth);
      growth.dueAt = Infinity;
      if (growth.reached < growth.toldEnd) continue; // it is told the rest when it has caught up
      if (growth.end - growth.toldEnd > FLOOD_BYTES) growth.notBefore = now + FLOOD_MS;
      growth.toldEnd = growth.end;
      this.#count(growth, now);
      due.push(growth);
    }
    this.#dueAt = next;
    this.#tickMs = Math.min(TICK_MS_MAX, TICK_MS_MIN + steady * TICK_MS_PER_SESSION);
    return due;
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
  }
}
