/**
 * The nodes and their sessions as last reported, kept up to date by news. After a broken link the news begin with a whole list; a
 * node that is missing from it was removed.
 */
import type { NodeInfo, NodeNews, SessionInfo } from '@spool/protocol';

/** A node with its sessions; those of a node that is away are as last seen. */
export interface NodeState {
  readonly info: NodeInfo;
  readonly sessions: ReadonlyMap<string, SessionInfo>;
}

export class NodeView {
  readonly #nodes = new Map<string, NodeState>();
  /** The nodes that were named since the link was opened, until the list is complete. */
  #named: Set<string> | null = new Set();

  get nodes(): ReadonlyMap<string, NodeState> {
    return this.#nodes;
  }

  /** Whether the first list is complete. */
  get isListed(): boolean {
    return this.#named === null;
  }

  /** Notes that the link was opened again, so that a whole list follows. */
  restart(): void {
    this.#named = new Set();
  }

  /** Applies a change. Returns the names of the nodes that have changed. */
  take(news: NodeNews): readonly string[] {
    if ('listed' in news) {
      const gone = [...this.#nodes.keys()].filter((name) => this.#named?.has(name) === false);
      for (const name of gone) this.#nodes.delete(name);
      this.#named = null;
      return gone;
    }
    if ('removed' in news) {
      this.#nodes.delete(news.removed);
      return [news.removed];
    }
    const { node, put, gone } = news;
    const isFirst = this.#named !== null && !this.#named.has(node.name);
    this.#named?.add(node.name);
    const sessions = new Map(isFirst ? [] : this.#nodes.get(node.name)?.sessions);
    for (const session of put) sessions.set(session.id, session);
    for (const id of gone) sessions.delete(id);
    this.#nodes.set(node.name, { info: node, sessions });
    return [node.name];
  }
}
