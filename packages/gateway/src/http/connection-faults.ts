/**
 * Confines a fault to its connection: only that connection ends. Every callback of a connection runs in a context that names the
 * connection: its socket's events, its requests, and the promises, timers, abort listeners and other sockets that these start. An
 * exception in any of them is logged, counted, and closes the connection. Keeps DOOR-25 and DOOR-42.
 *
 * Listeners run in the context of the emitter, so the sockets of a connection emit in theirs. A fault outside of every connection
 * is logged and counted too, and the gateway continues to serve: it holds no state that could be lost. If such faults continue, the
 * gateway is in an unforeseen state and exits, so that the next one replaces it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The maximum of faults a minute that are logged with their stack; the others are only counted. */
const LOGGED_A_MINUTE = 20;

/** The maximum of faults a minute outside of every connection; beyond it the gateway ends. */
export const OUTSIDE_A_MINUTE = 100;

const MINUTE_MS = 60_000;

/** The server events for a new connection. With TLS both are emitted, one after the other. */
const ARRIVALS: ReadonlySet<string | symbol> = new Set(['connection', 'secureConnection']);

type FaultyConnection = Set<Socket>;

export interface FaultCounts {
  /** The number of faults that closed their connection. */
  readonly connections: number;
  readonly outside: number;
}

export interface ConnectionFaultsOptions {
  say(line: string): void;
  /** Called when faults outside of every connection do not end. */
  onEndless(): void;
  onCount?(counts: FaultCounts): void;
}

export class ConnectionFaults {
  readonly #options: ConnectionFaultsOptions;
  readonly #current = new AsyncLocalStorage<FaultyConnection>();
  #counts: FaultCounts = { connections: 0, outside: 0 };
  #minuteSince = -Infinity;
  #inMinute = { all: 0, outside: 0 };

  constructor(options: ConnectionFaultsOptions) {
    this.#options = options;
  }

  get counts(): FaultCounts {
    return this.#counts;
  }

  /** Guards a server; must be called before any listener is added to the server. */
  guard(server: Server): void {
    const emit = server.emit.bind(server) as (event: string | symbol, ...args: unknown[]) => boolean;
    server.emit = (event: string | symbol, ...args: unknown[]) => {
      const connection = this.#current.getStore() ?? (ARRIVALS.has(event) ? new Set<Socket>() : undefined);
      if (ARRIVALS.has(event)) this.#join(connection!, args[0] as Socket);
      return this.#within(connection, () => emit(event, ...args)) ?? true;
    };
  }

  /** Wraps a callback for other code: `act` then runs for the connection that created it, and never throws. */
  bind<Args extends readonly unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
    const connection = this.#current.getStore();
    return (...args) => void this.#within(connection, () => act(...args));
  }

  /** Handles an uncaught fault: it belongs to the connection whose work caused it, if there is one. */
  take(error: unknown): void {
    this.#fault(this.#current.getStore(), error);
  }

  #join(connection: FaultyConnection, socket: Socket): void {
    connection.add(socket);
    const emit = socket.emit.bind(socket) as (event: string | symbol, ...args: unknown[]) => boolean;
    socket.emit = (event: string | symbol, ...args: unknown[]) =>
      this.#within(connection, () => emit(event, ...args)) ?? true;
    socket.once('close', () => connection.delete(socket));
  }

  #within<T>(connection: FaultyConnection | undefined, act: () => T): T | undefined {
    try {
      return connection ? this.#current.run(connection, act) : act();
    } catch (error) {
      this.#fault(connection, error);
      return undefined;
    }
  }

  #fault(connection: FaultyConnection | undefined, error: unknown): void {
    const { connections, outside } = this.#counts;
    this.#counts = connection ? { connections: connections + 1, outside } : { connections, outside: outside + 1 };
    const now = performance.now();
    if (now - this.#minuteSince > MINUTE_MS) {
      this.#sayMore();
      this.#minuteSince = now;
      this.#inMinute = { all: 0, outside: 0 };
    }
    this.#inMinute.all++;
    if (!connection) this.#inMinute.outside++;
    if (this.#inMinute.all <= LOGGED_A_MINUTE) {
      const whose = connection ? 'of a connection, which is closed' : 'outside of every connection';
      this.#options.say(`a fault ${whose}: ${error instanceof Error ? error.stack : String(error)}`);
    }
    for (const socket of connection ?? []) socket.destroy();
    this.#options.onCount?.(this.#counts);
    if (this.#inMinute.outside > OUTSIDE_A_MINUTE) this.#options.onEndless();
  }

  #sayMore(): void {
    const more = this.#inMinute.all - LOGGED_A_MINUTE;
    if (more > 0) this.#options.say(`${more} more faults in the minute after`);
  }
}
