/**
 * Asking, over a link that may break.
 *
 * What can be asked again without harm is asked again on the next connection, and then by the session's full id: a name,
 * or '' for the latest, may by then mean another session, and none must be stopped, removed or waited for that was not
 * meant. So what may be asked twice is looked up first (`get`), unless the id is known already: one short round trip.
 */
import { type Op, type Requests, type SessionInfo, SpoolError } from '@spool/protocol';
import { abortReason, Broken, type Connection } from './connection.ts';
import { closed, type Link } from './link.ts';
import type { AbortSignalLike } from './runtime.ts';

/** Ids are remembered for this many sessions; a forgotten one costs a look-up. */
const IDS_MAX = 4096;

export interface AgainOptions<K extends Op> {
  readonly signal?: AbortSignalLike | undefined;
  /** What it means when the *second* asking fails: for what is answered with an error when it has been done already. */
  readonly onRepeated?: (error: SpoolError) => Requests[K]['answer'] | undefined;
}

export class Requester {
  readonly link: Link;
  /** What the daemon has called an id is one, and never becomes another session's. */
  readonly #ids = new Set<string>();

  constructor(link: Link) {
    this.link = link;
  }

  /** For what does no harm when it is asked twice. Only a broken link is tried again, never an answer, be it unreadable. */
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
        if (error instanceof Broken) {
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

  /** For what must not be done twice: a link that breaks under it is the caller's to judge. */
  async once<K extends Op>(op: K, ask: Requests[K]['ask']): Promise<Requests[K]['answer']> {
    const connection = await this.#connection();
    try {
      return await connection.request(op, ask);
    } catch (error) {
      throw error instanceof Broken ? error.reason : error;
    }
  }

  async get(session: string, signal?: AbortSignalLike): Promise<SessionInfo> {
    const info = await this.again('get', { session }, { signal });
    this.remember(info.id);
    return info;
  }

  /** The full id of a session. */
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

  /** Without a turn of the loop when it is open, so that requests go out in the order of the calls. */
  #connection(signal?: AbortSignalLike): Connection | Promise<Connection> {
    if (signal?.aborted) throw abortReason(signal);
    if (this.link.isClosed) throw closed();
    return this.link.current ?? this.link.connection(signal);
  }
}
