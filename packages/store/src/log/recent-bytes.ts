/**
 * A cache of recent reads, shared by all logs of the process: its size bounds the memory, whatever the number of
 * sessions. Entries belong to an owner and are dropped with it.
 *
 * Several readers get the same bytes: they must not write to them.
 */
export class RecentBytes {
  readonly #capacity: number;
  readonly #bytesMax: number;
  #bytes = 0;
  /** The entries, newest first; so few that a linear search is cheaper than hashing. */
  readonly #entries: CachedBytes[] = [];

  /** `bytesMax` is the limit of all entries together; the newest one is kept in any case. */
  constructor(capacity: number, bytesMax = Infinity) {
    this.#capacity = capacity;
    this.#bytesMax = bytesMax;
  }

  find(owner: object, from: number, length: number): Uint8Array | undefined {
    const entries = this.#entries;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]!;
      if (entry.owner !== owner || entry.from !== from || entry.length !== length) continue;
      if (i > 0) {
        entries.splice(i, 1);
        entries.unshift(entry);
      }
      return entry.bytes;
    }
    return undefined;
  }

  keep(owner: object, from: number, length: number, bytes: Uint8Array): void {
    this.#entries.unshift({ owner, from, length, bytes });
    this.#bytes += bytes.length;
    while (this.#entries.length > 1 && (this.#entries.length > this.#capacity || this.#bytes > this.#bytesMax))
      this.#bytes -= this.#entries.pop()!.bytes.length;
  }

  forget(owner: object): void {
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      if (this.#entries[i]!.owner === owner) this.#bytes -= this.#entries.splice(i, 1)[0]!.bytes.length;
    }
  }

  /** The number of entries, for tests and metrics. */
  get size(): number {
    return this.#entries.length;
  }
}

interface CachedBytes {
  readonly owner: object;
  readonly from: number;
  readonly length: number;
  readonly bytes: Uint8Array;
}
