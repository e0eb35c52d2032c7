/** Limits how many tasks run at once. The others wait in order. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Runs the task, or throws when `signal` is aborted while it waits. */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free === 0) await this.#wait(signal);
    else this.#free--;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(signal!.reason as Error);
      };
      const begin = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.push(begin);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}
