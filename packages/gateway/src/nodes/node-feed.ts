/**
 * Sends the changes of all nodes to one follower: first every node with its sessions as last seen, then the changes. It has no
 * queue: a slow follower gets the latest state of each node that has changed meanwhile. Keeps NODE-41.
 */
import { ENDED_STATES, type NodeNews, type SessionInfo } from '@spool/protocol';
import type { NodeRegistry } from './registry.ts';

/** The maximum of ended sessions of a node, the latest. */
const ENDED_MAX = 100;

/** The interval in which changes are collected. */
const COLLECT_MS = 50;

const ENDED: ReadonlySet<string> = new Set(ENDED_STATES);

export interface FeedOptions {
  /** Returns a session as this follower may see it. */
  redact?(session: SessionInfo): SessionInfo;
}

export class NodeFeed {
  readonly #registry: NodeRegistry;
  readonly #send: (news: NodeNews) => boolean;
  readonly #redact: (session: SessionInfo) => SessionInfo;
  readonly #changed: Set<string>;
  /** The sessions of each node as they were sent, by id. */
  readonly #sent = new Map<string, Map<string, string>>();
  readonly #unfollow: () => void;
  #timer: NodeJS.Timeout | null = null;
  #isFull = false;
  #isListed = false;

  /** `send` returns false when the follower must catch up; `resume` is called later. */
  constructor(registry: NodeRegistry, send: (news: NodeNews) => boolean, options: FeedOptions = {}) {
    this.#registry = registry;
    this.#send = send;
    this.#redact = options.redact ?? ((session) => session);
    this.#changed = new Set(registry.names);
    this.#unfollow = registry.onChange((node) => {
      this.#changed.add(node);
      this.#timer ??= setTimeout(() => this.#flush(), COLLECT_MS);
    });
    this.#flush();
  }

  resume(): void {
    this.#isFull = false;
    this.#flush();
  }

  close(): void {
    this.#unfollow();
    this.#changed.clear();
    if (this.#timer) clearTimeout(this.#timer);
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    for (const node of this.#changed) {
      if (this.#isFull) return;
      this.#changed.delete(node);
      this.#isFull = !this.#send(this.#newsOf(node));
    }
    if (this.#isListed || this.#isFull) return;
    this.#isListed = true;
    this.#isFull = !this.#send({ listed: true });
  }

  #newsOf(name: string): NodeNews {
    const seen = this.#registry.seen(name);
    if (seen === null) {
      this.#sent.delete(name);
      return { removed: name };
    }
    const before = this.#sent.get(name) ?? new Map<string, string>();
    const now = new Map<string, string>();
    const put: SessionInfo[] = [];
    for (const session of latest(seen.sessions).map(this.#redact)) {
      const text = JSON.stringify(session);
      now.set(session.id, text);
      if (before.get(session.id) !== text) put.push(session);
    }
    this.#sent.set(name, now);
    return { node: seen.info, put, gone: [...before.keys()].filter((id) => !now.has(id)) };
  }
}

/** Returns the running sessions, and the latest of the ended ones. */
function latest(sessions: readonly SessionInfo[]): readonly SessionInfo[] {
  const ended = sessions.filter(({ state }) => ENDED.has(state)).slice(-ENDED_MAX);
  return [...sessions.filter(({ state }) => !ENDED.has(state)), ...ended];
}
