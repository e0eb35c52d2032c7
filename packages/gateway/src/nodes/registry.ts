/**
 * The nodes of this machine, by name: the links of those that are online, and the last sessions of those that are away. Keeps NODE-2: a node that is away is
 * listed with the time since when, and with its last known sessions.
 */
import type { ClientHttp2Stream } from 'node:http2';
import {
  ENDED_STATES,
  isListed,
  type ListFilter,
  type ListOptions,
  type NodeInfo,
  type NodeSessions,
  SpoolError,
} from '@spool/protocol';
import { fingerprintOf } from './machine-key.ts';
import { NodeLink, type NodeUser } from './node-link.ts';
import { OnlineNode } from './online-node.ts';
import { type NodeFile, type NodeRecord, NODES_MAX } from './records.ts';
import type { SeenSessions } from './seen-sessions.ts';
import type { Duplex } from 'node:stream';

/** A node that was seen this recently may be about to return, for example with its next gateway: a client waits for it. */
const RETURNS_WITHIN_MS = 5000;

const ENDED: ReadonlySet<string> = new Set(ENDED_STATES);

export class NodeRegistry {
  readonly #file: NodeFile;
  readonly #seen: SeenSessions;
  readonly #records: Map<string, NodeRecord>;
  readonly #online = new Map<string, OnlineNode>();
  readonly #awaySince = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  readonly #startedAt = Date.now();

  constructor(file: NodeFile, seen: SeenSessions) {
    this.#file = file;
    this.#seen = seen;
    this.#records = new Map(file.read().map((record) => [record.name, record]));
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

  /** Adds a node. One that has joined before under another name has that name no longer. */
  add(record: NodeRecord): void {
    this.checkName(record.name);
    const before = this.byKey(record.publicKey);
    if (before) this.#drop(before.name);
    this.#records.set(record.name, record);
    this.#save();
  }

  remove(name: string): void {
    this.#known(name);
    this.#drop(name);
    this.#save();
  }

  /** Takes the link of a node over; an earlier link of the same node is closed. */
  connect({ name }: NodeRecord, duplex: Duplex, version: string): void {
    this.#online.get(name)?.link.close();
    const link = new NodeLink(duplex, version, () => {
      node.close();
      if (this.#online.get(name) !== node) return;
      this.#online.delete(name);
      this.#awaySince.set(name, Date.now());
    });
    const node: OnlineNode = new OnlineNode(link, (sessions) => {
      if (this.#records.has(name)) this.#seen.note(name, { at: Date.now(), version, sessions });
    });
    this.#online.set(name, node);
    for (const wake of this.#waiting) wake();
  }

  /** Opens a stream of frames to a node. */
  async open(name: string, user: NodeUser): Promise<ClientHttp2Stream> {
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

  async list(): Promise<readonly NodeInfo[]> {
    const listed = await this.sessions({ states: ['running'] }, { states: ENDED_STATES, limit: 1 });
    return listed.flatMap(({ node, state, since, sessions, ended }) => {
      const record = this.#records.get(node);
      if (!record) return []; // removed meanwhile
      const { road, role, publicKey } = record;
      const version = this.#online.get(node)?.link.version ?? this.#seen.of(node).version;
      const running = sessions.filter((session) => !ENDED.has(session.state)).length;
      const fingerprint = fingerprintOf(publicKey);
      return [{ name: node, road, state, since, version, sessions: running + ended, role, fingerprint }];
    });
  }

  /** Lists the sessions of all nodes at once. */
  async sessions(running: ListFilter | null, ended: ListOptions | null): Promise<readonly NodeSessions[]> {
    return await Promise.all(
      [...this.#records.keys()].map(async (node): Promise<NodeSessions> => {
        const listed = (await this.#online.get(node)?.list(running, ended)) ?? null;
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
    this.#seen.forget(name);
    this.#awaySince.delete(name);
    const online = this.#online.get(name);
    this.#online.delete(name);
    online?.link.close();
  }

  #known(name: string): void {
    if (!this.#records.has(name)) throw new SpoolError('NODE_UNKNOWN', { node: name });
  }

  #save(): void {
    this.#file.write([...this.#records.values()]);
  }
}
