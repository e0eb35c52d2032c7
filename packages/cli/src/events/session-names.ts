/** The present name of a session, for events that carry only its id. */
import type { Client } from '@spool/client';
import { type SessionInfo, SpoolError } from '@spool/protocol';
import { type ListedEvent, sessionIdOf } from './listed-event.ts';

export class SessionNames {
  readonly #client: Pick<Client, 'get'>;
  /** The last known names, for sessions that are removed before their last event is printed. */
  readonly #last = new Map<string, string>();

  constructor(client: Pick<Client, 'get'>) {
    this.#client = client;
  }

  learn(sessions: readonly Pick<SessionInfo, 'id' | 'name'>[]): void {
    for (const { id, name } of sessions) this.#last.set(id, name);
  }

  /** Asks the daemon, because a session can be renamed at any time. */
  async nameFor(event: ListedEvent): Promise<string> {
    const id = sessionIdOf(event);
    const told =
      'session' in event ? event.session.name : 'name' in event && event.type !== 'milestone' ? event.name : '';
    if (id === '') return '';
    try {
      const name = told || (await this.#client.get(id)).name;
      this.#last.set(id, name);
      return name;
    } catch (error) {
      if (!SpoolError.is(error, 'SESSION_UNKNOWN')) throw error;
      return this.#last.get(id) ?? id;
    }
  }

  /** Returns the last known name, for past events, which are printed at once. */
  lastKnown(event: ListedEvent): string {
    const id = sessionIdOf(event);
    return this.#last.get(id) ?? id;
  }
}
