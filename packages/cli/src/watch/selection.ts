/** The selected row and the visible part of the list. The selection is a session, so it moves with its row. */
import type { Row } from './list.ts';

export class WatchSelection {
  #id: string | null = null;
  /** Its last index: if the session disappears, the next row is selected. */
  #at = 0;
  #top = 0;
  /** The session to select as soon as it is in the list. */
  #wanted: string | null = null;

  get id(): string | null {
    return this.#id;
  }

  /** The index of the first visible row. */
  get top(): number {
    return this.#top;
  }

  move(rows: readonly Row[], by: number): void {
    this.select(rows, Math.min(Math.max(0, this.#at + by), rows.length - 1));
  }

  select(rows: readonly Row[], at: number): void {
    const row = rows[at];
    if (!row) return;
    // Both are updated, because several keys may come before the next `settle`.
    this.#at = at;
    this.#id = row.id;
    this.#wanted = null;
  }

  /** Selects a session, which need not be in the list yet. */
  choose(id: string): void {
    this.#wanted = id;
  }

  /** Updates the list; `fit` is the number of rows that fit. */
  settle(rows: readonly Row[], fit: number): void {
    const wanted = this.#wanted === null ? undefined : rows.find(({ id }) => id === this.#wanted);
    if (wanted) {
      this.#id = wanted.id;
      this.#wanted = null;
    }
    const at = rows.findIndex(({ id }) => id === this.#id);
    this.#at = at !== -1 ? at : Math.min(this.#at, Math.max(0, rows.length - 1));
    this.#id = rows[this.#at]?.id ?? null;
    const highest = Math.min(this.#top, this.#at, Math.max(0, rows.length - fit));
    this.#top = Math.max(highest, this.#at - fit + 1);
  }
}
