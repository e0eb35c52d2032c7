/** Facts about each row of the normal screen and the lines above it, by its index there. */
import type { SeenItem } from './seen-item.ts';

export class RowFacts {
  /** The time when the row was reached, or last changed. */
  readonly at: number[] = [];
  /** The text of the row that was already printed; undefined if none was. */
  readonly printed: (string | undefined)[] = [];
  /** Items before the row: full-screen programs that were started there. */
  readonly #before = new Map<number, SeenItem[]>();
  #dropped = 0;

  /** Notes that rows up to this one exist, from this time on. */
  reach(row: number, at: number): void {
    for (let next = this.at.length; next <= row; next++) this.at.push(at);
  }

  /** Drops the facts of this many rows at the top; or of all. */
  drop(count: number): void {
    this.#dropped += Math.min(count, Math.max(this.at.length, this.printed.length));
    this.at.splice(0, count);
    this.printed.splice(0, count);
  }

  put(row: number, item: SeenItem): void {
    const key = row + this.#dropped;
    const there = this.#before.get(key);
    if (there) there.push(item);
    else this.#before.set(key, [item]);
  }

  /** Takes the items before the row that have not been taken yet, including those of rows above it. */
  take(row: number): readonly SeenItem[] {
    if (this.#before.size === 0) return NOTHING;
    const found: SeenItem[] = [];
    for (const key of [...this.#before.keys()].sort((one, other) => one - other)) {
      if (key > row + this.#dropped) break;
      found.push(...this.#before.get(key)!);
      this.#before.delete(key);
    }
    return found;
  }

  /**
   * Replaces the facts, because the rows have been laid out again; the items before them move by as many rows as the last line did.
   */
  replace(at: readonly number[], printed: readonly (string | undefined)[], movedBy: number): void {
    this.at.splice(0, Infinity, ...at);
    this.printed.splice(0, Infinity, ...printed);
    const before = [...this.#before];
    this.#before.clear();
    for (const [key, items] of before) this.#before.set(Math.max(this.#dropped, key + movedBy), items);
  }
}

const NOTHING: readonly SeenItem[] = [];
