/**
 * The link to the daemon: one connection at a time, opened when somebody needs it and opened again when it broke.
 *
 * When nobody needs it nothing is dialled: an idle client must not wake a daemon that was stopped on purpose. When the
 * link breaks, the first new attempt is immediate (a keeper that is being replaced accepts again at once), then they
 * spread out. The time allowed is counted from the break, or from the last sign of life of a connection made since.
 */
import { SpoolError } from '@spool/protocol';
import { abortReason, Broken, Connection } from './connection.ts';
import { abortController, type AbortSignalLike, type Runtime } from './runtime.ts';

export interface LinkOptions {
  /** How long to try before giving up with CONNECTION_LOST. */
  readonly reconnectMs?: number | undefined;
  /** Who we are, for those who ask who watches and who typed: `cli 4711`. */
  readonly who?: string | undefined;
}

export const RECONNECT_MS = 15_000;
export const BACKOFF_MS_FIRST = 20;
export const BACKOFF_MS_MAX = 1000;

/** A connection that lived this long was well: the next attempt is immediate again. */
export const STABLE_MS = 1000;

export class Link {
  readonly #runtime: Runtime;
  readonly #reconnectMs: number;
  readonly #who: string | undefined;
  readonly #closing = abortController();
  #connection: Connection | null = null;
  /** Those who need a connection, in the order of their calls. While there are any, somebody is dialling. */
  readonly #waiting = new Set<PromiseWithResolvers<Connection>>();
  /** Since when nothing that was tried has had an answer, or null while all is well. */
  #troubleSince: number | null = null;
  #brokenAt = 0;
  /** Attempts since the last connection that was well. */
  #attempts = 0;
  #wasOpen = false;

  constructor(runtime: Runtime, options: LinkOptions = {}) {
    this.#runtime = runtime;
    this.#reconnectMs = options.reconnectMs ?? RECONNECT_MS;
    this.#who = options.who;
  }

  /** The open connection, or null. What is sent on it without waiting goes out in the order of the calls. */
  get current(): Connection | null {
    return this.#connection;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** An open connection; dials when there is none. All who wait get the same one, in the order of their calls. */
  connection(signal?: AbortSignalLike): Promise<Connection> {
    if (this.#connection !== null) return Promise.resolve(this.#connection);
    const waiter = Promise.withResolvers<Connection>();
    this.#waiting.add(waiter);
    if (this.#waiting.size === 1) void this.#serve();
    if (signal === undefined) return waiter.promise;
    const onAbort = (): void => waiter.reject(abortReason(signal));
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    const settled = (): void => signal.removeEventListener('abort', onAbort);
    waiter.promise.then(settled, settled);
    return waiter.promise;
  }

  close(): void {
    if (this.isClosed) return;
    this.#closing.abort();
    this.#connection?.close();
  }

  async #serve(): Promise<void> {
    try {
      const connection = await this.#connect();
      for (const waiter of this.#waiting) waiter.resolve(connection);
    } catch (error) {
      for (const waiter of this.#waiting) waiter.reject(error);
    }
    this.#waiting.clear();
  }

  async #connect(): Promise<Connection> {
    const now = this.#runtime.now();
    // Trouble of a time that nobody cared about is no trouble of ours.
    if (now - this.#brokenAt >= STABLE_MS) this.#calm();
    this.#troubleSince ??= now;
    const until = this.#troubleSince + this.#reconnectMs;
    for (;;) {
      const pauseMs = this.#pauseMs();
      if (pauseMs > 0) await this.#runtime.sleep(pauseMs, this.#closing.signal);
      if (this.isClosed) throw closed();
      this.#attempts++;
      const leftMs = until - this.#runtime.now();
      try {
        // Nothing left, although each dial went well: what answers the hello and falls is not well either.
        if (leftMs <= 0) throw new Broken(new SpoolError('CONNECTION_LOST'));
        return await this.#open(leftMs);
      } catch (error) {
        if (this.isClosed) throw closed();
        const isFinal = !this.#mayRetry(error);
        if (!isFinal && this.#runtime.now() < until) continue;
        this.#calm();
        if (isFinal) throw error instanceof Broken ? error.reason : error;
        throw new SpoolError('CONNECTION_LOST', { triedMs: this.#reconnectMs }, { cause: error });
      }
    }
  }

  /** Nothing before the first attempt, then 20 ms, 40 ms, … 1 s, each shortened at random so that many clients spread out. */
  #pauseMs(): number {
    if (this.#attempts === 0) return 0;
    const ms = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_FIRST * 2 ** (this.#attempts - 1));
    return ms * (0.5 + Math.random() / 2);
  }

  /** Dials and says hello, both within `leftMs`. */
  async #open(leftMs: number): Promise<Connection> {
    const giveUp = abortController();
    const answered = abortController();
    const onClosing = (): void => giveUp.abort();
    this.#closing.signal.addEventListener('abort', onClosing);
    void this.#runtime.sleep(leftMs, answered.signal).then(() => {
      if (!answered.signal.aborted) giveUp.abort();
    });
    let connection: Connection | null = null;
    try {
      const dialled = this.#runtime.dial(giveUp.signal);
      const transport = await orGivenUp(dialled, giveUp.signal, (late) => late.close());
      connection = this.#wire(new Connection(transport, { who: this.#who }));
      await orGivenUp(connection.opened, giveUp.signal);
    } catch (error) {
      connection?.close();
      throw error;
    } finally {
      this.#closing.signal.removeEventListener('abort', onClosing);
      answered.abort();
    }
    // Right behind its hello it may have said why it closes.
    if (connection.broken !== null) throw connection.broken;
    if (!this.#wasOpen) this.#attempts = 0;
    this.#wasOpen = true;
    this.#connection = connection;
    return connection;
  }

  #wire(connection: Connection): Connection {
    const since = this.#runtime.now();
    connection.onProgress = () => {
      this.#troubleSince = null;
    };
    connection.onBroken = () => {
      if (this.#connection !== connection) return;
      this.#connection = null;
      this.#brokenAt = this.#runtime.now();
      if (this.#brokenAt - since >= STABLE_MS) this.#calm();
    };
    return connection;
  }

  #calm(): void {
    this.#troubleSince = null;
    this.#attempts = 0;
  }

  /** What the daemon or the machine refuses for a reason stays refused; what is only away may come back. */
  #mayRetry(error: unknown): boolean {
    if (error instanceof Broken) return error.mayRetry;
    if (!SpoolError.is(error)) return false;
    if (error.code === 'DAEMON_UNREACHABLE') return this.#wasOpen;
    return error.code === 'CONNECTION_LOST';
  }
}

export function closed(): SpoolError {
  return new SpoolError('CONNECTION_LOST', { reason: 'the client was closed' });
}

/** The promise, unless it is given up first; what it brings after that goes to `tooLate`. */
function orGivenUp<T>(promise: Promise<T>, signal: AbortSignalLike, tooLate?: (value: T) => void): Promise<T> {
  const { promise: either, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = (): void => reject(new Broken(new SpoolError('CONNECTION_LOST', { reason: 'no answer in time' })));
  signal.addEventListener('abort', onAbort);
  promise
    .then((value) => (signal.aborted ? tooLate?.(value) : resolve(value)), reject)
    .finally(() => signal.removeEventListener('abort', onAbort));
  if (signal.aborted) onAbort();
  return either;
}
