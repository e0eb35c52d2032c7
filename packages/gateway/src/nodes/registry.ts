/**
 * The nodes of this machine, by name: the links of those that are online, and the last sessions of those that are offline. Keeps
 * NODE-2: an offline node is listed with the time when it was last seen, and with its last known sessions.
 */
import type { Duplex } from 'node:stream';
import {
  ENDED_STATES,
  isListed,
  type ListFilter,
  type ListOptions,
  type NodeInfo,
  type NodeSessions,
  type SessionInfo,
  SpoolError,
} from '@spool/protocol';
import { fingerprintOf } from './machine-key.ts';
import type { NodeConnection, NodeUser } from './node-link.ts';
import { type NodeNotification, OnlineNode } from './online-node.ts';
import { type NodeFile, type NodeRecord, NODES_MAX } from './records.ts';
import type { RelayedAnswer, RelayedRequest } from './relayed-routes.ts';
import type { SeenSessions } from './seen-sessions.ts';

/** A node that was seen this recently may return soon, for example with its next gateway, so a client waits for it. */
const RETURNS_WITHIN_MS = 5000;

const ENDED: ReadonlySet<string> = new Set(ENDED_STATES);

/** The reason why a node is away. */
interface Absence {
  readonly reason: string;
  /** Its version, if it has named it. */
  readonly version?: string | undefined;
}

export class NodeRegistry {
  readonly #file: NodeFile;
  readonly #seen: SeenSessions;
  readonly #records: Map<string, NodeRecord>;
  readonly #online = new Map<string, OnlineNode>();
  readonly #awaySince = new Map<string, number>();
  /** The reasons that nodes have given, or were given, until they are online again. */
  readonly #absences = new Map<string, Absence>();
  readonly #waiting = new Set<() => void>();
  readonly #listeners = new Set<(node: string) => void>();
  readonly #startedAt = Date.now();
  /** Called with the name of a node that was removed or renamed. */
  onRemove: (name: string) => void = () => {};
  /** Called with each notification of a node. */
  onNotification: (node: string, notification: NodeNotification) => void = () => {};
  /** Returns the reason why a node was not reached. */
  reasonOf: (name: string) => string | undefined = () => undefined;

  constructor(file: NodeFile, seen: SeenSessions) {
    this.#file = file;
    this.#seen = seen;
    this.#records = new Map(file.read().map((record) => [record.name, record]));
  }

  get records(): readonly NodeRecord[] {
    return [...this.#records.values()];
  }

  byKey(publicKey: string): NodeRecord | null {
    for (const record of this.#records.values()) if (record.publicKey === publicKey) return record;
    return null;
  }

  /** Throws if no node can be added by this name. */
  checkName(name: string): void {
    if (this.#records.has(name)) throw new SpoolError('NODE_NAME_TAKEN', { node: name });
    if (this.#records.size >= NODES_MAX) throw new SpoolError('TOO_MANY', { nodes: NODES_MAX });
  }

  /** Adds a node. A machine that has joined before under another name loses that name. */
  add(record: NodeRecord): void {
    this.checkName(record.name);
    const before = this.byKey(record.publicKey);
    if (before) this.#drop(before.name);
    this.#records.set(record.name, record);
    this.#save();
    this.#changed(record.name);
  }

  /**
   * Calls `listener` with the name of each node that has changed, was added or was removed. Returns a function that removes the
   * listener.
   */
  onChange(listener: (node: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get names(): readonly string[] {
    return [...this.#records.keys()];
  }

  /** Returns a node as it was last seen, without asking it; null if there is no such node. */
  seen(name: string): { readonly info: NodeInfo; readonly sessions: readonly SessionInfo[] } | null {
    if (!this.#records.has(name)) return null;
    const { sessions } = this.#seen.of(name);
    return { info: this.#info(name, sessions.length), sessions };
  }

  remove(name: string): void {
    this.#known(name);
    this.#drop(name);
    this.#save();
  }

  /** Takes over the link of a node until it is closed, and closes an earlier link of the same node. */
  connect({ name }: NodeRecord, link: NodeConnection, closed: Promise<void>): void {
    this.#online.get(name)?.link.close();
    const node = new OnlineNode(
      link,
      (sessions) => {
        if (!this.#records.has(name)) return;
        this.#seen.note(name, { at: Date.now(), version: link.version, sessions });
        this.#changed(name);
      },
      (notification) => this.onNotification(name, notification),
      () => this.#changed(name),
    );
    void closed.then(() => {
      node.close();
      if (this.#online.get(name) !== node) return;
      this.#online.delete(name);
      this.#awaySince.set(name, Date.now());
      if (link.farewell !== undefined) this.#absences.set(name, { reason: link.farewell });
      this.#changed(name);
    });
    this.#online.set(name, node);
    this.#absences.delete(name);
    this.#changed(name);
    for (const wake of this.#waiting) wake();
  }

  /** Notes why a node is away, until it is online. */
  explain(name: string, absence: Absence): void {
    if (!this.#records.has(name) || this.#online.has(name)) return;
    this.#absences.set(name, absence);
    this.#changed(name);
  }

  /** Waits a moment for the link of a node. */
  async online(name: string): Promise<void> {
    const until = performance.now() + RETURNS_WITHIN_MS;
    while (!this.#online.has(name) && performance.now() < until) await this.#arrival(until - performance.now());
  }

  /** Opens a stream of frames to a node. */
  async open(name: string, user: NodeUser): Promise<Duplex> {
    const until = Math.max(this.#since(name), this.#startedAt) + RETURNS_WITHIN_MS;
    for (;;) {
      this.#known(name);
      const node = this.#online.get(name);
      if (node) return await node.link.open(user);
      const leftMs = until - Date.now();
      if (leftMs <= 0)
        throw new SpoolError('NODE_AWAY', { node: name, since: new Date(this.#since(name)).toISOString() });
      await this.#arrival(Math.min(leftMs, RETURNS_WITHIN_MS));
    }
  }

  /** Sends a request about the folder of a session to its node. */
  async ask(name: string, user: NodeUser, request: RelayedRequest): Promise<RelayedAnswer> {
    this.#known(name);
    const node = this.#online.get(name);
    if (node) {
      if (node.link.ask) return await node.link.ask(user, request);
      throw new SpoolError('NOT_ALLOWED', { reason: 'this node is reached on a road that carries no files' });
    }
    throw new SpoolError('NODE_AWAY', { node: name, since: new Date(this.#since(name)).toISOString() });
  }

  async list(): Promise<readonly NodeInfo[]> {
    const listed = await this.sessions({ states: ['running'] }, { states: ENDED_STATES, limit: 1 });
    return listed.flatMap(({ node, sessions, ended }) => {
      if (!this.#records.has(node)) return []; // removed meanwhile
      return [this.#info(node, sessions.filter((session) => !ENDED.has(session.state)).length + ended)];
    });
  }

  #info(name: string, sessions: number): NodeInfo {
    const record = this.#records.get(name)!;
    const { road, role, publicKey } = record;
    const online = this.#online.get(name);
    const absence = this.#absences.get(name);
    const version = online?.link.version ?? absence?.version ?? this.#seen.of(name).version;
    const state = online ? 'online' : 'away';
    const reason = online ? online.fault : (absence?.reason ?? this.reasonOf(name));
    return {
      name,
      road,
      state,
      since: this.#since(name),
      version,
      sessions,
      role,
      fingerprint: fingerprintOf(publicKey),
      ...('url' in record && { url: record.url }),
      ...(reason !== undefined && { reason }),
    };
  }

  /** Lists the sessions of all nodes at once. */
  async sessions(
    running: ListFilter | null,
    ended: ListOptions | null,
    options: { readonly asSeen?: boolean | undefined } = {},
  ): Promise<readonly NodeSessions[]> {
    return await Promise.all(
      [...this.#records.keys()].map(async (node): Promise<NodeSessions> => {
        const listed = options.asSeen ? null : ((await this.#online.get(node)?.list(running, ended)) ?? null);
        const state = this.#online.has(node) ? 'online' : 'away';
        const since = this.#since(node);
        return { node, state, since, ...(listed ?? this.#lastSeen(node, running, ended)) };
      }),
    );
  }

  #lastSeen(
    node: string,
    running: ListFilter | null,
    ended: ListOptions | null,
  ): Pick<NodeSessions, 'sessions' | 'ended'> {
    const { sessions } = this.#seen.of(node);
    const live = sessions.filter(
      (session) => running !== null && !ENDED.has(session.state) && isListed(session, running),
    );
    const past = sessions.filter((session) => ended !== null && ENDED.has(session.state) && isListed(session, ended));
    const latest = ended?.order === 'newest' ? past.toReversed() : past;
    return { sessions: [...live, ...latest.slice(0, ended?.limit)], ended: past.length };
  }

  #since(name: string): number {
    const online = this.#online.get(name);
    if (online) return online.since;
    return this.#awaySince.get(name) ?? (this.#seen.of(name).at || this.#records.get(name)?.addedAt) ?? this.#startedAt;
  }

  /** Waits for a link of any node. */
  async #arrival(withinMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    this.#waiting.add(resolve);
    await promise;
    this.#waiting.delete(resolve);
    clearTimeout(timer);
  }

  #drop(name: string): void {
    this.#records.delete(name);
    this.onRemove(name);
    this.#seen.forget(name);
    this.#awaySince.delete(name);
    this.#absences.delete(name);
    const online = this.#online.get(name);
    this.#online.delete(name);
    online?.link.close();
    this.#changed(name);
  }

  #changed(name: string): void {
    for (const listener of this.#listeners) listener(name);
  }

  #known(name: string): void {
    if (!this.#records.has(name)) throw new SpoolError('NODE_UNKNOWN', { node: name });
  }

  #save(): void {
    this.#file.write([...this.#records.values()]);
  }
}
