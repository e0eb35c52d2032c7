/** Limits concurrent waits for the disk: each takes a thread, and Node has four for everything. The others queue. */

const AT_ONCE = 2;

export class DiskTurns {
  readonly #queue: (() => void)[] = [];
  #busy = 0;

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy >= AT_ONCE) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#busy++;
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#busy--;
    }
  }
}
