/**
 * `SUBSCRIBE_WORKER_OUTPUT` by name: the output of the session that has the name now, and of each later one that gets it, by
 * its start or by `rename`. The agent need not exist yet. `*` is every session. Keeps the daemon's side of OUT-7.
 *
 * The output of a session that loses the name is no longer sent. The subscription ends with `UNSUBSCRIBE_WORKER_OUTPUT` or the connection.
 */
import type { Requests } from '@spool/protocol';
import type { Session } from '../session/session.ts';
import type { Connection } from './connection.ts';
import { TextWatcher } from './text-watcher.ts';

type Ask = Requests['SUBSCRIBE_WORKER_OUTPUT']['ask'];

export const ALL_AGENTS = '*';

export class OutputSubscriptions {
  readonly #all = new Set<NameSubscription>();

  /** Returns the function that ends it. */
  add(connection: Connection, channel: number, ask: Ask, present: readonly Session[]): () => void {
    const subscription = new NameSubscription(connection, channel, ask);
    this.#all.add(subscription);
    for (const session of present) subscription.follow(session, ask.from ?? session.log.end);
    return () => {
      this.#all.delete(subscription);
      subscription.close();
    };
  }

  started(session: Session): void {
    for (const subscription of this.#all) if (subscription.isMeant(session.name)) subscription.follow(session, 0);
  }

  /** It had another name until now. */
  renamed(session: Session): void {
    for (const subscription of this.#all) subscription.renamed(session);
  }
}

class NameSubscription {
  readonly #connection: Connection;
  readonly #channel: number;
  readonly #ask: Ask;
  readonly #watchers = new Map<string, TextWatcher>();
  /** How far the output of sessions that have lost the name was sent. */
  readonly #toldTo = new Map<string, number>();

  constructor(connection: Connection, channel: number, ask: Ask) {
    this.#connection = connection;
    this.#channel = channel;
    this.#ask = ask;
  }

  isMeant(name: string): boolean {
    return this.#ask.agent === ALL_AGENTS || this.#ask.agent === name;
  }

  follow(session: Session, from: number): void {
    if (this.#watchers.has(session.id)) return;
    if (session.agent !== null && !this.#connection.mayReadWires) return;
    const watcher = new TextWatcher({
      connection: this.#connection,
      channel: this.#channel,
      session,
      ask: this.#ask,
      agent: () => session.name,
      from: Math.min(from, session.log.end),
      onClose: () => this.#watchers.delete(session.id),
    });
    this.#watchers.set(session.id, watcher);
    watcher.pump();
  }

  renamed(session: Session): void {
    const watcher = this.#watchers.get(session.id);
    if (this.isMeant(session.name)) return void (watcher ?? this.follow(session, this.#toldTo.get(session.id) ?? 0));
    if (!watcher) return;
    watcher.flush();
    this.#toldTo.set(session.id, session.log.end);
    watcher.close();
  }

  close(): void {
    for (const watcher of [...this.#watchers.values()]) watcher.close();
  }
}
