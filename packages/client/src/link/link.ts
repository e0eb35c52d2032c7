/**
 * The link to the daemon: one connection at a time, opened on demand and reopened when it broke. Keeps REM-1, with the streams
 * above it: the code here does not depend on the transport of the frames.
 *
 * Without a request there is no connection: an idle client must not start a daemon that was stopped on purpose. When the link
 * breaks, the first new attempt is immediate (a keeper that is being replaced accepts again at once), then they spread out. The
 * allowed time is counted from the break, or from the last data of a later connection.
 */
import { SpoolError } from '@spool/protocol';
import { abortReason, BrokenConnection, Connection } from './connection.ts';
import { cutUnlessAlive, cutWhenSilent } from './silence.ts';
import { abortController } from './abort.ts';
import type { AbortSignalLike, Runtime } from './runtime.ts';

export interface LinkOptions {
  /** The time to try before giving up with CONNECTION_LOST. */
  readonly reconnectMs?: number | undefined;
  /** The name of this client, which viewers and the source of input are shown with: `cli 4711`. */
  readonly who?: string | undefined;
}

export const RECONNECT_MS = 15_000;
const BACKOFF_MS_FIRST = 20;
/** The maximum pause shortly after a break: a user is then watching a terminal, and most breaks are short. */
const BACKOFF_MS_FRESH = 250;
const FRESH_MS = 5000;
/** The maximum pause later, so that a client reconnects within a second of its network. */
const BACKOFF_MS_MAX = 800;

/** The attempt count after a useful connection: lower, but not zero, because a peer may fail right after its first answer. */
const ATTEMPTS_AFTER_USE = 2;

/** The lifetime after which a connection counts as healthy: the next attempt is immediate again. */
const STABLE_MS = 1000;

/** The maximum time from the connection to the hello of the daemon, over a network that may fail silently. */
export const HELLO_MS = 10_000;
/** The time after `wake` within which a peer must answer. */
const WAKE_CUT_MS = 4000;
/** The interval at which a client that waits for its first answer reads the trouble that the daemon has reported. */
const TROUBLE_LOOK_MS = 250;
/** The age below which an attempt continues after `wake`, because several events wake a page at once. */
const WAKE_FRESH_MS = 1000;

/** The errors of a daemon that was running, and may come back. */
const MAY_RETURN: ReadonlySet<string> = new Set(['DAEMON_UNREACHABLE', 'HOST_UNREACHABLE', 'NODE_AWAY']);

export class Link {
  readonly #runtime: Runtime;
  readonly #reconnectMs: number;
  readonly #who: string | undefined;
  readonly #closing = abortController();
  #connection: Connection | null = null;
  /** Callers that need a connection, in order. While there are any, the link is dialling. */
  readonly #waiting = new Set<PromiseWithResolvers<Connection>>();
  /** The time of the first attempt since then without an answer; null if the last attempt was answered. */
  #troubleSince: number | null = null;
  #brokenAt = 0;
  /** The connection that was pinged by `wake`. */
  #woken: Connection | null = null;
  /** Aborted by `wake`: ends the pause before an attempt, and an attempt that hangs. */
  #hurry = abortController();
  #openingSince = 0;
  /** The number of attempts since the last healthy connection. */
  #attempts = 0;
  #wasOpen = false;
  /** The version that the daemon named in its latest hello; '' before the first. */
  daemonVersion = '';

  constructor(runtime: Runtime, options: LinkOptions = {}) {
    this.#runtime = runtime;
    this.#reconnectMs = options.reconnectMs ?? RECONNECT_MS;
    this.#who = options.who;
  }

  /** The open connection, or null. Frames sent on it without waiting keep the order of the calls. */
  get current(): Connection | null {
    return this.#connection;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Returns an open connection; dials if there is none. All waiting callers get the same one, in order. */
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

  /** Pings an open connection after the network may have changed; without one, makes the next attempt at once. */
  wake(): void {
    const connection = this.#connection;
    if (connection !== null) {
      if (this.#woken === connection) return;
      this.#woken = connection;
      void cutUnlessAlive(connection, this.#runtime, WAKE_CUT_MS).then(() => (this.#woken = null));
    } else if (this.#runtime.now() - this.#openingSince >= WAKE_FRESH_MS) this.#hurryUp();
  }

  #hurryUp(): void {
    this.#hurry.abort();
    this.#hurry = abortController();
  }

  close(): void {
    if (this.isClosed) return;
    this.#closing.abort();
    this.#hurry.abort();
    this.#connection?.close();
  }

  async #serve(): Promise<void> {
    const trouble = this.#wasOpen ? null : new TroubleWatch(this.#runtime, () => this.#hurryUp());
    try {
      const connection = await this.#connect(trouble);
      for (const waiter of this.#waiting) waiter.resolve(connection);
    } catch (error) {
      for (const waiter of this.#waiting) waiter.reject(error);
    }
    trouble?.end();
    this.#waiting.clear();
  }

  async #connect(trouble: TroubleWatch | null): Promise<Connection> {
    const now = this.#runtime.now();
    // Outages during which no caller waited do not count.
    if (now - this.#brokenAt >= STABLE_MS) this.#calm();
    this.#troubleSince ??= now;
    const until = this.#troubleSince + this.#reconnectMs;
    for (;;) {
      const pauseMs = this.#pauseMs();
      if (pauseMs > 0) await this.#runtime.sleep(pauseMs, this.#hurry.signal);
      if (this.isClosed) throw closed();
      this.#attempts++;
      const leftMs = until - this.#runtime.now();
      try {
        // The time is over although each dial succeeded: a peer that answers the hello and then fails is not healthy either.
        if (leftMs <= 0 || trouble?.reason !== undefined) throw new BrokenConnection(new SpoolError('CONNECTION_LOST'));
        return await this.#open(leftMs);
      } catch (error) {
        if (this.isClosed) throw closed();
        if (trouble?.reason !== undefined) {
          this.#calm();
          throw new SpoolError('CONNECTION_LOST', { reason: trouble.reason }, { cause: error });
        }
        const isFinal = !this.#mayRetry(error);
        if (!isFinal && this.#runtime.now() < until) continue;
        this.#calm();
        if (isFinal) throw error instanceof BrokenConnection ? error.reason : error;
        const reason = this.#runtime.troubleOfDaemon?.()?.reason;
        throw new SpoolError(
          'CONNECTION_LOST',
          { triedMs: this.#reconnectMs, ...(reason !== undefined && { reason }) },
          { cause: error },
        );
      }
    }
  }

  /**
   * Returns the pause: none before the first attempt, then 20 ms, 40 ms, … 250 ms, after 5 s up to 800 ms, each shortened at
   * random so that many clients spread out.
   */
  #pauseMs(): number {
    if (this.#attempts === 0) return 0;
    const isFresh = this.#runtime.now() - (this.#troubleSince ?? 0) < FRESH_MS;
    const ms = Math.min(isFresh ? BACKOFF_MS_FRESH : BACKOFF_MS_MAX, BACKOFF_MS_FIRST * 2 ** (this.#attempts - 1));
    return ms * (0.5 + Math.random() / 2);
  }

  /** Dials and sends the hello, both within `leftMs`. */
  async #open(leftMs: number): Promise<Connection> {
    const giveUp = abortController();
    const answered = abortController();
    const hurry = this.#hurry.signal;
    const onHurry = (): void => giveUp.abort();
    hurry.addEventListener('abort', onHurry);
    this.#openingSince = this.#runtime.now();
    const onLate = (): void => {
      if (!answered.signal.aborted) giveUp.abort();
    };
    void this.#runtime.sleep(leftMs, answered.signal).then(onLate);
    let connection: Connection | null = null;
    try {
      const dialled = this.#runtime.dial(giveUp.signal);
      const transport = await orGivenUp(dialled, giveUp.signal, (late) => late.close());
      if (this.#runtime.silence !== undefined) void this.#runtime.sleep(HELLO_MS, answered.signal).then(onLate);
      connection = this.#wire(new Connection(transport, { who: this.#who, now: () => this.#runtime.now() }));
      this.daemonVersion = (await orGivenUp(connection.opened, giveUp.signal)).version;
      if (this.#runtime.silence !== undefined) void cutWhenSilent(connection, this.#runtime, this.#runtime.silence);
    } catch (error) {
      connection?.close();
      throw error;
    } finally {
      hurry.removeEventListener('abort', onHurry);
      answered.abort();
    }
    // Right after its hello the daemon may have sent the reason why it closes.
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
      this.#attempts = Math.min(this.#attempts, ATTEMPTS_AFTER_USE);
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

  /** Returns whether to try again. A refusal by the daemon or the machine is final; an unreachable daemon may come back. */
  #mayRetry(error: unknown): boolean {
    if (error instanceof BrokenConnection) return error.mayRetry;
    if (!SpoolError.is(error)) return false;
    if (MAY_RETURN.has(error.code)) return this.#wasOpen;
    return error.code === 'CONNECTION_LOST';
  }
}

/**
 * Waits for a report of the daemon that it cannot serve: then another attempt would only fail later. An earlier report does not
 * count, because the daemon retries and the cause may be gone.
 */
class TroubleWatch {
  readonly #ended = abortController();
  reason: string | undefined;

  constructor(runtime: Runtime, onReport: () => void) {
    if (runtime.troubleOfDaemon) void this.#look(runtime, onReport);
  }

  end(): void {
    this.#ended.abort();
  }

  async #look(runtime: Runtime, onReport: () => void): Promise<void> {
    const { signal } = this.#ended;
    await runtime.sleep(TROUBLE_LOOK_MS, signal);
    const before = signal.aborted ? undefined : runtime.troubleOfDaemon!();
    while (!signal.aborted) {
      await runtime.sleep(TROUBLE_LOOK_MS, signal);
      const found = signal.aborted ? undefined : runtime.troubleOfDaemon!();
      if (found === undefined || found.at === before?.at) continue;
      this.reason = found.reason;
      return onReport();
    }
  }
}

export function closed(): SpoolError {
  return new SpoolError('CONNECTION_LOST', { reason: 'the client was closed' });
}

/** Returns the promise, unless the signal aborts first; a late result is passed to `tooLate`. */
function orGivenUp<T>(promise: Promise<T>, signal: AbortSignalLike, tooLate?: (value: T) => void): Promise<T> {
  const { promise: either, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = (): void =>
    reject(new BrokenConnection(new SpoolError('CONNECTION_LOST', { reason: 'no answer in time' })));
  signal.addEventListener('abort', onAbort);
  promise
    .then((value) => (signal.aborted ? tooLate?.(value) : resolve(value)), reject)
    .finally(() => signal.removeEventListener('abort', onAbort));
  if (signal.aborted) onAbort();
  return either;
}
