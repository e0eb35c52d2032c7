/**
 * Dispatches readiness of fds to their handlers. There is one per process; see `Poller` for its cost (none while no fd is ready).
 * Keeps LIFE-6: one poller for all sessions, no thread each.
 *
 * An fd may be calm: ready calm fds are reported together, at most once in `restMs`. Silent calm fds do not delay a report: the
 * first one after a silence is immediate.
 */
import { native, POLL, type Poller } from './index.ts';

export type FdHandler = (events: number) => void;

interface FdRegistration {
  readonly handler: FdHandler;
  events: number;
  isCalm: boolean;
}

export class FdWatch {
  readonly #watched = new Map<number, FdRegistration>();
  readonly #restMs: () => number;
  readonly #poller: Poller;
  /** The poller of calm fds, created when the first fd becomes calm. */
  #calm: Poller | null = null;

  constructor(restMs: () => number = () => 0) {
    this.#restMs = restMs;
    this.#poller = native.createPoller((ready, count) => this.#dispatch(ready, count));
  }

  watch(fd: number, events: number, handler: FdHandler): void {
    if (this.#watched.get(fd)?.isCalm) this.#calm!.delete(fd);
    this.#watched.set(fd, { handler, events, isCalm: false });
    this.#poller.set(fd, events);
  }

  /** Changes the events that `fd` is watched for; 0 disables it. An fd with a waiting writer is not calm. */
  change(fd: number, events: number): void {
    const watched = this.#watched.get(fd);
    if (watched) watched.events = events;
    if (!watched?.isCalm) return this.#poller.set(fd, events);
    if (events & POLL.writable) this.setCalm(fd, false);
    else this.#calm!.set(fd, events);
  }

  setCalm(fd: number, isCalm: boolean): void {
    const watched = this.#watched.get(fd);
    if (!watched || watched.isCalm === isCalm || (isCalm && watched.events & POLL.writable)) return;
    watched.isCalm = isCalm;
    this.#calm ??= native.createPoller((ready, count) => {
      this.#dispatch(ready, count);
      this.#calm?.rest(this.#restMs());
    });
    const [from, to] = isCalm ? [this.#poller, this.#calm] : [this.#calm, this.#poller];
    from.delete(fd);
    to.set(fd, watched.events);
  }

  isCalm(fd: number): boolean {
    return this.#watched.get(fd)?.isCalm === true;
  }

  /** Stops watching; must be called before the fd is closed. */
  unwatch(fd: number): void {
    const watched = this.#watched.get(fd);
    if (!watched) return;
    this.#watched.delete(fd);
    (watched.isCalm ? this.#calm! : this.#poller).delete(fd);
  }

  [Symbol.dispose](): void {
    this.#poller.close();
    this.#calm?.close();
    this.#calm = null;
    this.#watched.clear();
  }

  #dispatch(ready: Int32Array, count: number): void {
    for (let at = 0; at < count; at++) this.#watched.get(ready[at * 2]!)?.handler(ready[at * 2 + 1]!);
  }
}
