/** The pauses of one driver. When the driver ends, they end with an error, so that nothing of it continues. */

export interface Pace {
  sleep(ms: number): Promise<void>;
  /** Resolves when the data that has arrived was read. */
  turn(): Promise<void>;
  /** Calls `act` after a time, unless the returned function was called. */
  after(ms: number, act: () => void): () => void;
}

export class DriverPace implements Pace {
  /** Notes that the driver works: from here on, until the process waits or another one works. */
  readonly begin: () => void;
  /** The timers that run, each with the function that is called when the driver ends. */
  readonly #timers = new Map<NodeJS.Timeout, (reason: Error) => void>();
  #end: Error | null = null;

  constructor(begin: () => void) {
    this.begin = begin;
  }

  sleep(ms: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#start(ms, resolve, reject);
    return promise;
  }

  turn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    setImmediate(() => {
      if (this.#end) return reject(this.#end);
      this.begin();
      resolve();
    });
    return promise;
  }

  after(ms: number, act: () => void): () => void {
    const timer = this.#start(ms, act, () => {});
    return () => {
      clearTimeout(timer);
      if (timer) this.#timers.delete(timer);
    };
  }

  /** Ends all pauses. */
  end(reason: Error): void {
    this.#end ??= reason;
    for (const [timer, reject] of this.#timers) {
      clearTimeout(timer);
      reject(reason);
    }
    this.#timers.clear();
  }

  #start(ms: number, act: () => void, onEnd: (reason: Error) => void): NodeJS.Timeout | undefined {
    if (this.#end) {
      onEnd(this.#end);
      return undefined;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.begin();
      act();
    }, ms);
    this.#timers.set(timer, onEnd);
    return timer;
  }
}
