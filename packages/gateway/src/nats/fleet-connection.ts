/** The connection of a machine to the server of a fleet, which is restored whenever it breaks, and the links on it. */
import { fleetSubjects } from '@spool/protocol/fleets';
import { type DialState, keepDialling, newDialState } from '../nodes/keep-dialling.ts';
import { WindowPool } from './window-pool.ts';
import { connectNats, type FleetAddress, type NatsConnection } from './nats-connection.ts';

/** The maximum pause between two attempts to reach the server: its nodes are wanted as soon as it is back. */
const AGAIN_MS_MAX = 1000;

/** A link as the connection sees it. */
export interface LinkEnd {
  receive(message: Buffer): void;
  destroy(): void;
}

export class FleetConnection {
  readonly address: FleetAddress;
  readonly subjects: ReturnType<typeof fleetSubjects>;
  readonly dial: DialState = newDialState();
  /** The links by the subject of the messages from the other side. */
  readonly links = new Map<string, LinkEnd>();
  readonly windows = new WindowPool();
  readonly #ended = new AbortController();
  #connection: NatsConnection | null = null;

  constructor(address: FleetAddress) {
    this.address = address;
    this.subjects = fleetSubjects(address.fleet);
  }

  /** The connection while it is open. */
  get open(): NatsConnection | null {
    return this.#connection;
  }

  get isEnded(): boolean {
    return this.#ended.signal.aborted;
  }

  /** Keeps it connected from now on. `use` is called with each new connection, and returns a function for its end. */
  keep(use: (connection: NatsConnection) => () => void): void {
    const once = async (onOnline: () => void): Promise<void> => {
      const connection = await connectNats(this.address);
      const close = (): void => connection.close();
      this.#ended.signal.addEventListener('abort', close);
      if (this.isEnded) close();
      connection.onRefused = (subject) => this.links.get(subject)?.destroy();
      this.#connection = connection;
      const over = use(connection);
      onOnline();
      await connection.closed;
      this.#ended.signal.removeEventListener('abort', close);
      this.#connection = null;
      // Messages on their way are lost, so each link starts again.
      for (const link of this.links.values()) link.destroy();
      over();
    };
    void keepDialling(this.dial, this.#ended.signal, once, AGAIN_MS_MAX);
  }

  end(): void {
    this.#ended.abort();
  }
}
