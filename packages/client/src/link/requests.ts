/**
 * Requests over a link that may break.
 *
 * Requests that are safe to repeat are sent again on the next connection, and then with the session's full id: by then a name, or
 * '' for the latest, may refer to another session, which must not be stopped, removed or waited for by mistake. Therefore an
 * unknown id is looked up first (`get`): one short round trip.
 */
import { type Op, type Requests, type SessionInfo, SpoolError } from '@spool/protocol';
import { abortReason, BrokenConnection, type Connection } from './connection.ts';
import { closed, type Link } from './link.ts';
import type { AbortSignalLike } from './runtime.ts';

/** The number of remembered ids; a forgotten one costs a look-up. */
const IDS_MAX = 4096;

export interface AgainOptions<K extends Op> {
  readonly signal?: AbortSignalLike | undefined;
  /** Returns the answer when the *repeated* request fails: for requests that are refused once they have been done. */
  readonly onRepeated?: (error: SpoolError) => Requests[K]['answer'] | undefined;
}

export class Requester {
  readonly link: Link;
  /** The full ids that are known: an id is never used for another session. */
  readonly #ids = new Set<string>();

  constructor(link: Link) {
    this.link = link;
  }

  /** Sends a request that is safe to repeat. Only a broken link is retried, never an answer, even an unreadable one. */
  async again<K extends Op>(
    op: K,
    ask: Requests[K]['ask'],
    options: AgainOptions<K> = {},
  ): Promise<Requests[K]['answer']> {
    const { signal, onRepeated } = options;
    for (let isRepeated = false; ; isRepeated = true) {
      const connection = await this.#connection(signal);
      try {
        return await connection.request(op, ask, signal);
      } catch (error) {
        if (error instanceof BrokenConnection) {
          if (this.link.isClosed) throw closed();
          if (!error.mayAskAgain) throw error.reason;
          continue;
        }
        const answer = isRepeated && SpoolError.is(error) ? onRepeated?.(error) : undefined;
        if (answer === undefined) throw error;
        return answer;
      }
    }
  }

  /** Sends a request that must not be repeated: the caller decides how to handle a broken link. */
  async once<K extends Op>(op: K, ask: Requests[K]['ask']): Promise<Requests[K]['answer']> {
    const connection = await this.#connection();
    try {
      return await connection.request(op, ask);
    } catch (error) {
      throw error instanceof BrokenConnection ? error.reason : error;
    }
  }

  async get(session: string, signal?: AbortSignalLike): Promise<SessionInfo> {
    const info = await this.again('get', { session }, { signal });
    this.remember(info.id);
    return info;
  }

  /** Returns the full id of a session. */
  async id(session: string, signal?: AbortSignalLike): Promise<string> {
    return this.isId(session) ? session : (await this.get(session, signal)).id;
  }

  isId(session: string): boolean {
    return this.#ids.has(session);
  }

  remember(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size <= IDS_MAX) return;
    const [oldest] = this.#ids;
    this.#ids.delete(oldest!);
  }

  /** Returns the connection, synchronously if it is open, so that requests keep the order of the calls. */
  #connection(signal?: AbortSignalLike): Connection | Promise<Connection> {
    if (signal?.aborted) throw abortReason(signal);
    if (this.link.isClosed) throw closed();
    return this.link.current ?? this.link.connection(signal);
  }
}
