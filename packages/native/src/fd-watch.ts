/**
 * Dispatches readiness of fds to their handlers. One per process; see `Poller` for its cost (none while nothing
 * happens). Keeps LIFE-6: one poller for all sessions, no thread each.
 */
import { native, type Poller } from './index.ts';

export type FdHandler = (events: number) => void;

export class FdWatch {
  readonly #handlers = new Map<number, FdHandler>();
  readonly #poller: Poller;

  constructor() {
    this.#poller = native.createPoller((ready, count) => {
      for (let at = 0; at < count; at++) this.#handlers.get(ready[at * 2]!)?.(ready[at * 2 + 1]!);
    });
  }

  watch(fd: number, events: number, handler: FdHandler): void {
    this.#handlers.set(fd, handler);
    this.#poller.set(fd, events);
  }

  /** Changes the events that `fd` is watched for; 0 disables it. */
  change(fd: number, events: number): void {
    this.#poller.set(fd, events);
  }

  /** Call it before the fd is closed. */
  unwatch(fd: number): void {
    if (this.#handlers.delete(fd)) this.#poller.delete(fd);
  }

  [Symbol.dispose](): void {
    this.#poller.close();
    this.#handlers.clear();
  }
}
