/** All sessions, found by id, name or id prefix. Keeps NAME-2. */
import { ID_PREFIX_CHARS_MIN, SpoolError } from '@spool/protocol';
import type { KeeperSession } from './session.ts';

const TOO_SHORT = `nothing has this name, and the beginning of an id has at least ${ID_PREFIX_CHARS_MIN} characters`;

export class Registry {
  /** The sessions, in the order of their start. */
  readonly #sessions = new Map<string, KeeperSession>();

  add(session: KeeperSession): void {
    this.#sessions.set(session.id, session);
  }

  delete(id: string): void {
    this.#sessions.delete(id);
  }

  get(id: string): KeeperSession | undefined {
    return this.#sessions.get(id);
  }

  all(): IterableIterator<KeeperSession> {
    return this.#sessions.values();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Finds a session by id, by name, or by id prefix; '' is the latest. A running session takes precedence over an ended one. */
  find(reference: string): KeeperSession {
    if (reference === '') return this.#latest();
    const exact = this.#sessions.get(reference);
    if (exact) return exact;
    const named = this.#filter(({ name }) => name === reference);
    const running = named.filter(({ isRunning }) => isRunning);
    if (running.length > 1) throw new SpoolError('SESSION_AMBIGUOUS', { session: reference, candidates: ids(running) });
    const byName = running[0] ?? named.at(-1);
    if (byName) return byName;
    if (reference.length < ID_PREFIX_CHARS_MIN)
      throw new SpoolError('SESSION_UNKNOWN', { session: reference, reason: TOO_SHORT });
    const begun = this.#filter(({ id }) => id.startsWith(reference));
    if (begun.length > 1) throw new SpoolError('SESSION_AMBIGUOUS', { session: reference, candidates: ids(begun) });
    if (!begun[0]) throw new SpoolError('SESSION_UNKNOWN', { session: reference });
    return begun[0];
  }

  isNameTaken(name: string): boolean {
    for (const session of this.#sessions.values()) if (session.name === name && session.isRunning) return true;
    return false;
  }

  /** Returns the names that are taken. */
  runningNames(): Set<string> {
    const names = new Set<string>();
    for (const { name, isRunning } of this.#sessions.values()) if (isRunning) names.add(name);
    return names;
  }

  get runningCount(): number {
    let count = 0;
    for (const { isRunning } of this.#sessions.values()) if (isRunning) count++;
    return count;
  }

  /** Restores the order of start after sessions were read from the disk. */
  sort(): void {
    // The times are read once, not at each comparison, which would take most of the time with thousands of sessions.
    const sorted = Array.from(this.#sessions.values(), (session) => ({ session, at: session.file.startedAt }));
    sorted.sort((a, b) => a.at - b.at);
    this.#sessions.clear();
    for (const { session } of sorted) this.#sessions.set(session.id, session);
  }

  #filter(isWanted: (session: KeeperSession) => boolean): KeeperSession[] {
    const wanted: KeeperSession[] = [];
    for (const session of this.#sessions.values()) if (isWanted(session)) wanted.push(session);
    return wanted;
  }

  #latest(): KeeperSession {
    const latest = [...this.#sessions.values()].at(-1);
    if (!latest) throw new SpoolError('SESSION_NONE');
    return latest;
  }
}

function ids(sessions: readonly KeeperSession[]): string {
  return sessions
    .slice(0, 5)
    .map(({ id }) => id)
    .join(' ');
}
