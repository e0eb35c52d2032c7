/**
 * An abort controller for this package's own use: Node's takes 2 ms to load and set up, in each command. Use a real one where a
 * runtime needs it (`fetch`).
 */
import type { AbortControllerLike, AbortSignalLike } from './runtime.ts';

class Signal implements AbortSignalLike {
  readonly #listeners = new Set<() => void>();
  aborted = false;
  reason: unknown;

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }
}

export function abortController(): AbortControllerLike {
  const signal = new Signal();
  return { signal, abort: (reason) => signal.abort(reason) };
}
