/** A node with an open link: lists its sessions with the SDK over a stream, and stores them after each change. */
import { Client } from '@spool/client';
import { StreamTransport } from '@spool/client/driver';
import { type DaemonEvent, type ListFilter, type ListOptions, type SessionInfo, SpoolError } from '@spool/protocol';
import { runtimeOver } from '../websocket/client-runtime.ts';
import { checkedSessions } from './listed-sessions.ts';
import type { NodeConnection, NodeUser } from './node-link.ts';

/** The pause after a list, so that a burst of events causes two lists: one at the first event, one after the pause. */
const CHANGES_MS = 300;

/** The time limit of a node's list; after it, the sessions are shown as last seen. */
const LIST_MS_MAX = 3000;

/** The limit for a stream that broke while its link stays open, for example because the keeper of the node is replaced. */
const RECONNECT_MS = 5000;

/** The user of the lists: the node grants it no more than it has granted to this machine. */
const LISTS: NodeUser = { name: 'gateway', role: 'owner' };

/** A notification from a node about one of its sessions. */
export type NodeNotification = Extract<DaemonEvent, { type: 'notification' }>;

export interface ListedSessions {
  readonly sessions: readonly SessionInfo[];
  readonly ended: number;
}

export class OnlineNode {
  readonly link: NodeConnection;
  readonly since = Date.now();
  readonly #client: Client;
  readonly #onNotification: (notification: NodeNotification) => void;
  readonly #onSeen: (sessions: readonly SessionInfo[]) => void;
  /** The reason why its sessions cannot be listed, although it is linked. */
  fault: string | undefined;

  constructor(
    link: NodeConnection,
    onSeen: (sessions: readonly SessionInfo[]) => void,
    onNotification: (notification: NodeNotification) => void,
    onFault: () => void,
  ) {
    this.#onNotification = onNotification;
    this.link = link;
    this.#onSeen = onSeen;
    const dial = async (): Promise<StreamTransport> => {
      const stream = await link.open(LISTS);
      return new StreamTransport((read) => stream.on('data', read));
    };
    this.#client = new Client(runtimeOver(dial), { reconnectMs: RECONNECT_MS, who: LISTS.name });
    void this.#follow().catch((error: unknown) => {
      if (!SpoolError.is(error, 'VERSION_UNSUPPORTED')) return; // the link has ended, or the node refuses lists
      this.fault = error.message;
      onFault();
    });
  }

  /** Lists sessions; null if the node does not answer in time. */
  async list(running: ListFilter | null, ended: ListOptions | null): Promise<ListedSessions | null> {
    const { promise, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(() => resolve(null), LIST_MS_MAX);
    const ask = async (): Promise<ListedSessions> => {
      const [live, past] = await Promise.all([
        running === null ? [] : this.#client.list(running),
        ended === null ? { sessions: [], matching: 0 } : this.#client.listCounted(ended),
      ]);
      return { sessions: checkedSessions([...live, ...past.sessions]), ended: Number(past.matching) || 0 };
    };
    try {
      return await Promise.race([ask().catch(() => null), promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#client.close();
  }

  async #follow(): Promise<void> {
    await using events = this.#client.events();
    let pending: NodeJS.Timeout | null = null;
    let hasChanged = false;
    const look = (): void => {
      hasChanged = false;
      pending = setTimeout(() => {
        pending = null;
        if (hasChanged) look();
      }, CHANGES_MS);
      void this.#client.list().then(
        (sessions) => this.#onSeen(checkedSessions(sessions)),
        () => {}, // the link has ended
      );
    };
    look();
    for await (const event of events) {
      if (event.type === 'notification') this.#onNotification(event);
      hasChanged = true;
      if (pending === null) look();
    }
  }
}
