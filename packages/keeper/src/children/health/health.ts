/**
 * Distinguishes a child that is stopped, stalled or busy in a loop from one that is merely quiet. Keeps STATE-20, STATE-41
 * and SPEED-5.
 *
 * It reads /proc, but rarely: first when a session has been silent for a moment, then at intervals that double each time; also soon
 * after input without any reaction, and after a signal. A session that prints is never examined. Time is an input, and the kernel
 * can be replaced, so that hours take a test no time.
 */
import { shortDuration } from '@spool/protocol/duration';
import { isServing, lookAtTree, type TreeLook } from './process-tree.ts';

type HealthKind = 'stopped' | 'stalled' | 'busy';

export interface Health {
  readonly kind: HealthKind;
  readonly why: string;
}

export interface HealthOptions {
  readonly pid: number;
  /** The time after which a session counts as stalled; null means never. */
  stalledAfterMs(): number | null;
  readonly look?: typeof lookAtTree;
  readonly isServing?: typeof isServing;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** The time after which a quiet session is examined first; the time doubles with each further check. */
const FIRST_MS = 20 * SECOND;
const EVERY_MS_MAX = 15 * MINUTE;
/** Checks of quiet sessions coincide, so that a daemon with many of them wakes up rarely. */
const QUIET_GRAIN_MS = 2 * SECOND;
/** A session counts as stopped only after this time, because debuggers stop processes for a moment too. */
const STOPPED_FOR_MS = 1500;
/** The interval for a stopped session, which may be continued at any time. */
const STOPPED_EVERY_MS = 5 * SECOND;
/** A healthy program reacts to input within this time. */
const REACTION_MS = 3 * SECOND;
const SIGNAL_MS = 200;
/** The share of one CPU below which a program counts as still. */
const STILL_SHARE = 0.005;
/**
 * The share of one CPU above which a program counts as busy; on a loaded machine, even a program that never waits may get no more.
 */
const BUSY_SHARE = 0.1;

export class HealthWatch {
  /** The time of the next check. */
  dueAt: number;
  readonly #options: HealthOptions;
  readonly #look: typeof lookAtTree;
  readonly #isServing: typeof isServing;
  #health: Health | null = null;
  #everyMs = FIRST_MS;
  /** The last check, and the time since which the checks have shown no CPU time, or only CPU time. */
  #last: { readonly at: number; readonly tree: TreeLook } | null = null;
  #stillSince: number;
  #busySince: number | null = null;
  #stoppedSince: number | null = null;

  constructor(now: number, options: HealthOptions) {
    this.#options = options;
    this.#look = options.look ?? lookAtTree;
    this.#isServing = options.isServing ?? isServing;
    this.#stillSince = now;
    this.dueAt = quietTime(now, this.#firstMs);
  }

  get health(): Health | null {
    return this.#health;
  }

  /** Notes output: a session that prints is not stalled. Returns true if this changes its health. */
  output(at: number): boolean {
    const isNews = this.#health !== null;
    this.#health = null;
    this.#last = null;
    this.#stillSince = at;
    this.#busySince = null;
    this.#stoppedSince = null;
    this.#everyMs = this.#firstMs;
    this.dueAt = quietTime(at, this.#everyMs);
    return isNews;
  }

  typed(at: number): void {
    this.dueAt = Math.min(this.dueAt, at + REACTION_MS);
  }

  signalled(at: number): void {
    this.dueAt = Math.min(this.dueAt, at + SIGNAL_MS);
  }

  /** Examines the session. `isWaiting`: the session waits for a person, so it is normal that nothing happens. */
  look(now: number, isWaiting: boolean): Health | null {
    const tree = this.#look(this.#options.pid);
    if (tree === null) {
      this.dueAt = Infinity; // the child is gone, and its end will be reported
      return this.#health;
    }
    const judged = this.#judge(tree, now, isWaiting);
    if (judged?.kind !== this.#health?.kind) this.#health = judged; // otherwise the first text is kept, because it is one event
    this.#last = { at: now, tree };
    this.#everyMs = Math.min(EVERY_MS_MAX, this.#everyMs * 2);
    this.dueAt = quietTime(now, this.#nextMs(now, isWaiting));
    return this.#health;
  }

  #judge(tree: TreeLook, now: number, isWaiting: boolean): Health | null {
    this.#stoppedSince = tree.isStopped ? (this.#stoppedSince ?? now) : null;
    if (this.#stoppedSince !== null && now - this.#stoppedSince >= STOPPED_FOR_MS) return STOPPED;
    this.#compare(tree, now);
    const afterMs = this.#options.stalledAfterMs();
    if (afterMs === null || isWaiting || tree.isStopped || tree.isTraced) return null;
    if (this.#busySince !== null && now - this.#busySince >= afterMs) return BUSY(now - this.#busySince);
    const stillMs = now - this.#stillSince;
    if (this.#last === null || stillMs < afterMs || !tree.isChain || TERMINAL_WAITS.has(tree.last.waitsIn)) return null;
    return this.#isServing(tree.last.pid) ? null : STALLED(stillMs, tree.last.waitsIn);
  }

  /** Notes since when the child uses no CPU time, or only CPU time. */
  #compare(tree: TreeLook, now: number): void {
    if (this.#last === null) return;
    const passedMs = Math.max(1, now - this.#last.at);
    const share = (tree.cpuMs - this.#last.tree.cpuMs) / passedMs;
    if (share > STILL_SHARE) this.#stillSince = now;
    const isCircling =
      share >= BUSY_SHARE && tree.isRunning && tree.deeds !== null && tree.deeds === this.#last.tree.deeds;
    this.#busySince = isCircling ? (this.#busySince ?? this.#last.at) : null;
  }

  get #firstMs(): number {
    const afterMs = this.#options.stalledAfterMs();
    return afterMs === null ? FIRST_MS : Math.min(FIRST_MS, afterMs / 4);
  }

  /** Returns the time until the next check, or until the child would count as stalled, if that is sooner. */
  #nextMs(now: number, isWaiting: boolean): number {
    if (this.#stoppedSince !== null) return this.#health?.kind === 'stopped' ? STOPPED_EVERY_MS : STOPPED_FOR_MS;
    const afterMs = this.#options.stalledAfterMs();
    if (afterMs === null || isWaiting || this.#health !== null) return this.#everyMs;
    const dueMs = Math.max(this.#stillSince, this.#busySince ?? 0) + afterMs - now;
    return dueMs > 0 ? Math.min(this.#everyMs, dueMs) : this.#everyMs;
  }
}

/** The kernel functions in which a read from a terminal sleeps: the program waits for a person to type. */
const TERMINAL_WAITS: ReadonlySet<string> = new Set(['wait_woken', 'n_tty_read']);

const WAITS: readonly (readonly [RegExp, string])[] = [
  [/nanosleep/, 'it sleeps'],
  [/futex/, 'it waits for a lock'],
  [/pipe/, 'it waits for a pipe'],
  [/sk_|tcp|inet|unix_stream|skb/, 'it waits for the network'],
  [/poll|select/, 'it waits for an event'],
];

/** Returns the time of a check after a delay; a long delay ends at a common tick. */
function quietTime(now: number, delayMs: number): number {
  const at = now + delayMs;
  return delayMs < FIRST_MS ? at : Math.ceil(at / QUIET_GRAIN_MS) * QUIET_GRAIN_MS;
}

const STOPPED: Health = { kind: 'stopped', why: 'a signal has stopped its process (state T)' };

const STALLED = (ms: number, waitsIn: string): Health => {
  const how = WAITS.find(([pattern]) => pattern.test(waitsIn))?.[1];
  return {
    kind: 'stalled',
    why: `for ${shortDuration(ms)} it has written nothing and used no CPU time${how === undefined ? '' : `: ${how}`}`,
  };
};

const BUSY = (ms: number): Health => ({
  kind: 'busy',
  why: `for ${shortDuration(ms)} it has used the CPU without a pause, and has read and written nothing`,
});
