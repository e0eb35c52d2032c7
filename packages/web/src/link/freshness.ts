/**
 * Measures the age of what the page shows. A dead network is silent, so a visible page requests a sign of life each second, and its
 * content is as old as the last one. After a broken link, a picture counts as old until it is fetched again. Keeps PAGE-21.
 */

/** The age below which no notice is shown: most broken links recover before it could be read. */
const FRESH_MS = 3_000;
/** The time that a page has, after it was hidden or asleep, to hear from the daemon before it shows its age. */
const WAKING_MS = 1_000;

export class Freshness {
  readonly #now: () => number;
  /** The time of the daemon's last message; null before the first one, when there is no picture either. */
  #heardAt: number | null = null;
  #wokeAt = 0;
  /** Pictures that must be fetched, and the time when they were last known to be true. */
  readonly #behind = new Map<object, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  heard(): void {
    this.#heardAt = this.#now();
  }

  woke(): void {
    this.#wokeAt = this.#now();
  }

  /** The time since the last message. */
  get quietMs(): number {
    return this.#heardAt === null ? 0 : this.#now() - this.#heardAt;
  }

  /** Notes that this picture is out of date, until it is `renewed`. */
  fellBehind(picture: object): void {
    if (!this.#behind.has(picture)) this.#behind.set(picture, this.#heardAt ?? this.#now());
  }

  renewed(picture: object): void {
    this.#behind.delete(picture);
  }

  /** Returns the time since which the content may be out of date; null while it is fresh enough. */
  staleSince(now = this.#now()): number | null {
    if (this.#heardAt === null || now - this.#wokeAt < WAKING_MS) return null;
    const since = Math.min(this.#heardAt, ...this.#behind.values());
    return now - since >= FRESH_MS ? since : null;
  }
}

export const freshness = new Freshness();
