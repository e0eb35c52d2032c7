/**
 * How old what the page shows is. A dead network says nothing, so a page that is seen asks for a sign of life each second, and
 * what it shows is as old as the last one. After a break, a picture is old until it was fetched anew. Keeps PAGE-21.
 */

/** Most breaks heal before they could be read. */
export const FRESH_MS = 3_000;
/** A page that was hidden or asleep is given this long to hear from the daemon before it says how old it is. */
const WAKING_MS = 1_000;

export class Freshness {
  readonly #now: () => number;
  /** Null before the first word of the daemon: then there is no picture either. */
  #heardAt: number | null = null;
  #wokeAt = 0;
  /** Pictures that wait to be fetched, and when they were last known to be true. */
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

  /** How long nothing was heard. */
  get quietMs(): number {
    return this.#heardAt === null ? 0 : this.#now() - this.#heardAt;
  }

  /** This picture is not the present any more, until it is `renewed`. */
  fellBehind(picture: object): void {
    if (!this.#behind.has(picture)) this.#behind.set(picture, this.#heardAt ?? this.#now());
  }

  renewed(picture: object): void {
    this.#behind.delete(picture);
  }

  /** Since when what is shown may not be true any more; null while it is, or is not old enough to say so. */
  staleSince(now = this.#now()): number | null {
    if (this.#heardAt === null || now - this.#wokeAt < WAKING_MS) return null;
    const since = Math.min(this.#heardAt, ...this.#behind.values());
    return now - since >= FRESH_MS ? since : null;
  }
}

export const freshness = new Freshness();
