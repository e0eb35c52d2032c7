/** Which row is chosen, and which part of the list is in view. The choice is a session, not a place: it moves along with it. */
import type { Row } from './list.ts';

export class WatchSelection {
  #id: string | null = null;
  /** Where it was: when it goes, the next takes its place. */
  #at = 0;
  #top = 0;

  get id(): string | null {
    return this.#id;
  }

  /** The index of the first row in view. */
  get top(): number {
    return this.#top;
  }

  move(rows: readonly Row[], by: number): void {
    const at = Math.min(Math.max(0, this.#at + by), rows.length - 1);
    this.#id = rows[at]?.id ?? null;
  }

  /** The list as it is now, of which so many rows fit. */
  settle(rows: readonly Row[], fit: number): void {
    const at = rows.findIndex(({ id }) => id === this.#id);
    this.#at = at !== -1 ? at : Math.min(this.#at, Math.max(0, rows.length - 1));
    this.#id = rows[this.#at]?.id ?? null;
    const highest = Math.min(this.#top, this.#at, Math.max(0, rows.length - fit));
    this.#top = Math.max(highest, this.#at - fit + 1);
  }
}
