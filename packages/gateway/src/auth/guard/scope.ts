/**
 * The sessions to which a token is limited. A session outside the scope is answered like one that does not exist. A reference is
 * replaced by the full id that was checked, so that it cannot refer to another session later. Keeps DOOR-15.
 */
import type { RequestEvent } from '@spool/client';
import { type ListOptions, type SessionInfo, SpoolError, type TokenScope } from '@spool/protocol';

/** Looks sessions up at the keeper, with all rights, to resolve references. */
export interface Directory {
  get(session: string): Promise<SessionInfo>;
  list(options: ListOptions): Promise<readonly SessionInfo[]>;
  offsetAt(session: string, time: number): Promise<number>;
  /** Returns the whole pending request of an agent with this id. */
  openRequest(session: string, request: string): Promise<RequestEvent | null>;
}

export function isLimited({ sessions, labels, from }: TokenScope): boolean {
  return sessions !== undefined || labels !== undefined || from !== undefined;
}

export function isWithin(
  { sessions, labels: wanted = {} }: TokenScope,
  { id, labels }: Pick<SessionInfo, 'id' | 'labels'>,
): boolean {
  return (
    (sessions?.includes(id) ?? true) &&
    Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
  );
}

export class Scope {
  readonly #scope: TokenScope;
  readonly #directory: Directory;
  /** The sessions that are known to be in scope, for events that have only an id. */
  readonly #within = new Set<string>();

  constructor(scope: TokenScope, directory: Directory) {
    this.#scope = scope;
    this.#directory = directory;
    for (const id of scope.labels === undefined ? (scope.sessions ?? []) : []) this.#within.add(id);
  }

  get isLimited(): boolean {
    return isLimited(this.#scope);
  }

  get from(): number | undefined {
    return this.#scope.from;
  }

  /** The labels with which new sessions may be started; null if none may be started. */
  get labelsOfNew(): Readonly<Record<string, string>> | null {
    return this.#scope.sessions === undefined ? (this.#scope.labels ?? {}) : null;
  }

  has({ id, labels }: Pick<SessionInfo, 'id' | 'labels'>): boolean {
    const isInside = isWithin(this.#scope, { id, labels });
    if (isInside) this.#within.add(id);
    else this.#within.delete(id);
    return isInside;
  }

  hasId(id: string): boolean {
    const isEverything = this.#scope.sessions === undefined && this.#scope.labels === undefined;
    return isEverything || this.#within.has(id);
  }

  /** Returns the full id. Throws SESSION_UNKNOWN, as for a session that does not exist. */
  async resolve(reference: string): Promise<string> {
    if (reference === '') return await this.#latest();
    const unknown = new SpoolError('SESSION_UNKNOWN', { session: reference });
    let found: SessionInfo;
    try {
      found = await this.#directory.get(reference);
    } catch (error) {
      throw SpoolError.is(error, 'SESSION_AMBIGUOUS') ? unknown : error; // the number of matches is not revealed
    }
    if (!this.has(found)) throw unknown;
    return found.id;
  }

  /** Returns whether a session outside has exactly this id. */
  async isTakenOutside(id: string): Promise<boolean> {
    const found = await this.#directory.get(id).catch(() => null);
    return found !== null && found.id === id && !this.has(found);
  }

  /** Reads which sessions are in scope, for later events. */
  async learn(): Promise<void> {
    if (this.#scope.labels === undefined) return;
    for (const session of await this.#directory.list({ labels: this.#scope.labels })) this.has(session);
  }

  /** Returns the first offset that may be shown. */
  async firstOffset(id: string): Promise<number> {
    return this.#scope.from === undefined ? 0 : await this.#directory.offsetAt(id, this.#scope.from);
  }

  async #latest(): Promise<string> {
    const found = (await this.#directory.list({ labels: this.#scope.labels })).findLast((session) => this.has(session));
    if (!found) throw new SpoolError('SESSION_NONE');
    return found.id;
  }
}
