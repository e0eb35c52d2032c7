/**
 * The nodes of the machine that a client is connected to: their health, and the sessions and events of all machines in one list and one
 * stream. Keeps NODE-41.
 */
import {
  isListed,
  type ListFilter,
  type NodeInfo,
  type NodeNews,
  type NodeSession,
  type SessionInfo,
  SpoolError,
} from '@spool/protocol';
import type { Client } from '../client.ts';
import { abortController } from '../link/abort.ts';
import type { AbortSignalLike, NodeRoads, Runtime } from '../link/runtime.ts';
import type { EventItem, EventsOptions } from '../streams/events.ts';
import { Funnel } from './funnel.ts';
import { NodeView } from './node-view.ts';

/** A change of a node itself. */
export interface NodeChange {
  readonly type: 'node-online' | 'node-away' | 'node-removed';
  readonly at: number;
  readonly node: string;
}

/** An event of any machine; an event of a node has its name. */
export type NodeEvent = (EventItem & { readonly node?: string }) | NodeChange;

export interface NodesOptions {
  readonly signal?: AbortSignalLike | undefined;
}

/** The pauses between two attempts to reach a gateway again. */
const AGAIN_MS_FIRST = 50;
const AGAIN_MS_MAX = 1000;

export class Nodes {
  readonly #client: Client;
  readonly #runtime: Runtime;

  constructor(client: Client, runtime: Runtime) {
    this.#client = client;
    this.#runtime = runtime;
  }

  /** Returns the nodes, with their state, version and rights. */
  async list(): Promise<readonly NodeInfo[]> {
    return [...(await this.#first()).nodes.values()].map(({ info }) => info);
  }

  /**
   * Returns the matching sessions of this machine and of all nodes. Sessions of a node have its name; those of an offline node are
   * as last seen, with the time.
   */
  async sessions(filter: ListFilter = {}): Promise<readonly NodeSession[]> {
    const [own, view] = await Promise.all([this.#client.list(filter), this.#first()]);
    return [...own, ...[...view.nodes.values()].flatMap(({ info, sessions }) => nodeSessions(info, sessions, filter))];
  }

  /**
   * Yields the nodes with their sessions, first when all are known, and then after each change. It continues after broken links
   * until it is closed, or `signal` is aborted.
   */
  async *watch({ signal }: NodesOptions = {}): AsyncGenerator<NodeView, void> {
    const view = new NodeView();
    let pauseMs = AGAIN_MS_FIRST;
    for (;;) {
      view.restart();
      try {
        for await (const news of this.#follow(signal)) {
          view.take(news);
          pauseMs = AGAIN_MS_FIRST;
          if (view.isListed) yield view;
        }
        return; // it is aborted, or this machine has no nodes
      } catch (error) {
        if (signal?.aborted === true) return;
        if (!SpoolError.is(error, 'CONNECTION_LOST') && !SpoolError.is(error, 'HOST_UNREACHABLE')) throw error;
      }
      await this.#runtime.sleep(pauseMs, signal);
      pauseMs = Math.min(2 * pauseMs, AGAIN_MS_MAX);
    }
  }

  /**
   * Follows the events of this machine and of all nodes in one stream. A node that comes or leaves is an event too. Events of a
   * node that happen while it is offline are lost; when it returns, `events-missed` with its name reports this.
   */
  async *events(options: EventsOptions = {}): AsyncGenerator<NodeEvent, void> {
    const over = abortController();
    const abort = (): void => over.abort();
    options.signal?.addEventListener('abort', abort);
    if (options.signal?.aborted === true) abort();
    const funnel = new Funnel<NodeEvent>();
    over.signal.addEventListener('abort', () => funnel.end());
    void this.#pumpOwn({ ...options, signal: over.signal }, funnel);
    void this.#pumpNodes({ ...options, signal: over.signal }, funnel);
    try {
      yield* funnel;
    } finally {
      over.abort();
      options.signal?.removeEventListener('abort', abort);
    }
  }

  async #pumpOwn(options: EventsOptions, funnel: Funnel<NodeEvent>): Promise<void> {
    try {
      for await (const event of this.#client.events(options)) await funnel.put(event);
      funnel.end();
    } catch (error) {
      funnel.end(options.signal?.aborted === true ? undefined : error);
    }
  }

  async #pumpNodes(options: EventsOptions, funnel: Funnel<NodeEvent>): Promise<void> {
    const open = new Map<string, Client>();
    const seenBefore = new Set<string>();
    options.signal?.addEventListener('abort', () => {
      for (const client of open.values()) client.close();
    });
    const close = (node: string): void => {
      open.get(node)?.close();
      open.delete(node);
    };
    const say = async (change: NodeChange): Promise<void> => {
      if (options.types?.includes(change.type) !== false) await funnel.put(change);
    };
    try {
      let isFirst = true;
      for await (const { nodes } of this.watch({ signal: options.signal })) {
        for (const [node, { info }] of nodes) {
          if ((info.state === 'online') === open.has(node)) continue;
          if (!isFirst)
            await say({ type: info.state === 'online' ? 'node-online' : 'node-away', at: info.since, node });
          if (info.state === 'away') close(node);
          else {
            if (seenBefore.has(node))
              await funnel.put({ type: 'events-missed', at: Date.now(), reason: 'link-broken', node });
            seenBefore.add(node);
            const client = this.#client.node(node);
            open.set(node, client);
            void this.#pumpNode(node, client, options, funnel);
          }
        }
        for (const node of [...open.keys()].filter((name) => !nodes.has(name))) {
          close(node);
          await say({ type: 'node-removed', at: Date.now(), node });
        }
        isFirst = false;
      }
    } catch (error) {
      funnel.end(error);
    }
  }

  async #pumpNode(node: string, client: Client, options: EventsOptions, funnel: Funnel<NodeEvent>): Promise<void> {
    try {
      for await (const event of client.events(options)) await funnel.put({ ...event, node });
    } catch {
      // The node is offline or was removed, which `watch` reports, or it gives no events to this role.
    }
  }

  /** Returns the nodes as soon as all are known. */
  async #first(): Promise<NodeView> {
    const over = abortController();
    const view = new NodeView();
    try {
      for await (const news of this.#follow(over.signal)) {
        view.take(news);
        if (view.isListed) break;
      }
      return view;
    } finally {
      over.abort();
    }
  }

  #follow(signal: AbortSignalLike | undefined): AsyncIterable<NodeNews> {
    return roadsOf(this.#runtime).follow(signal);
  }
}

/** Returns the roads of a client. A client of a node has no roads: the nodes of a node cannot be reached through it. */
export function roadsOf({ nodes }: Runtime): NodeRoads {
  if (nodes !== undefined) return nodes;
  throw new SpoolError('NOT_ALLOWED', { reason: 'this client has no way to nodes' });
}

function nodeSessions(
  { name, state, since }: NodeInfo,
  sessions: ReadonlyMap<string, SessionInfo>,
  filter: ListFilter,
): readonly NodeSession[] {
  return [...sessions.values()]
    .filter((session) => isListed(session, filter))
    .map((session) => ({ ...session, node: name, ...(state === 'away' && { nodeAwaySince: since }) }));
}
