/**
 * Implements `SUBSCRIBE_WORKER_OUTPUT` by name: the output of the session that has the name now, and of each later session that
 * gets it, at its start or by `rename`. The agent need not exist yet. `*` means every session. Keeps the daemon's side of OUT-7.
 *
 * The output of a session that loses the name is no longer sent. The subscription ends with `UNSUBSCRIBE_WORKER_OUTPUT` or the connection.
 */
import type { Requests } from '@spool/protocol';
import type { KeeperSession } from '../sessions/session.ts';
import type { ClientConnection } from '../clients/connection.ts';
import { TextOutput, type TextOutputOptions } from './text-output.ts';
import { Watcher } from './watcher.ts';

type SubscribeRequest = Requests['SUBSCRIBE_WORKER_OUTPUT']['ask'];

export const ALL_AGENTS = '*';

export class OutputSubscriptions {
  readonly #all = new Set<NameSubscription>();

  /** Adds a subscription. Returns a function that ends it. */
  add(
    connection: ClientConnection,
    channel: number,
    ask: SubscribeRequest,
    present: readonly KeeperSession[],
  ): () => void {
    const subscription = new NameSubscription(connection, channel, ask);
    this.#all.add(subscription);
    for (const session of present) subscription.follow(session, ask.from ?? session.log.end);
    return () => {
      this.#all.delete(subscription);
      subscription.close();
    };
  }

  started(session: KeeperSession): void {
    for (const subscription of this.#all) if (subscription.isMeant(session.name)) subscription.follow(session, 0);
  }

  /** Handles a session whose name has changed. */
  renamed(session: KeeperSession): void {
    for (const subscription of this.#all) subscription.renamed(session);
  }
}

class NameSubscription {
  readonly #connection: ClientConnection;
  readonly #channel: number;
  readonly #ask: SubscribeRequest;
  readonly #watchers = new Map<string, { readonly watcher: Watcher; readonly output: TextOutput }>();
  /** The offsets up to which the output of sessions was sent that have lost the name. */
  readonly #toldTo = new Map<string, number>();

  constructor(connection: ClientConnection, channel: number, ask: SubscribeRequest) {
    this.#connection = connection;
    this.#channel = channel;
    this.#ask = ask;
  }

  isMeant(name: string): boolean {
    return this.#ask.agent === ALL_AGENTS || this.#ask.agent === name;
  }

  follow(session: KeeperSession, from: number): void {
    if (this.#watchers.has(session.id)) return;
    if (session.isHeadless && !this.#connection.mayReadWires) return;
    const { watcher, output } = textWatcher({
      connection: this.#connection,
      channel: this.#channel,
      session,
      ask: this.#ask,
      agent: () => session.name,
      from: Math.min(from, session.log.end),
      onClose: () => this.#watchers.delete(session.id),
    });
    this.#watchers.set(session.id, { watcher, output });
    watcher.pump();
  }

  renamed(session: KeeperSession): void {
    const followed = this.#watchers.get(session.id);
    if (this.isMeant(session.name)) return void (followed ?? this.follow(session, this.#toldTo.get(session.id) ?? 0));
    if (!followed) return;
    followed.output.flush();
    this.#toldTo.set(session.id, session.log.end);
    followed.watcher.close();
  }

  close(): void {
    for (const { watcher } of [...this.#watchers.values()]) watcher.close();
  }
}

/**
 * Returns a watcher that sends text. Its rate is limited only by the socket: text that the socket does not accept stays in the log.
 */
export function textWatcher({
  session,
  ...options
}: Omit<TextOutputOptions, 'id'> & { readonly session: KeeperSession }): {
  watcher: Watcher;
  output: TextOutput;
} {
  const { connection, channel, from } = options;
  const output = new TextOutput({ ...options, id: session.id });
  return { watcher: new Watcher({ connection, channel, session, from, creditBytes: Infinity, output }), output };
}
