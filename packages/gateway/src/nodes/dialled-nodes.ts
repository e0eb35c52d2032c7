/**
 * The nodes that this machine dials itself, by their address, by ssh or in a fleet. Each has a link that is restored whenever it
 * breaks; the node serves HTTP/2 on it, as a joined node does. The key of a node is pinned when it is added. Keeps NODE-20.
 */
import type { Duplex } from 'node:stream';
import { type NewNode, type NodeInfo, SpoolError } from '@spool/protocol';
import { type DialState, keepDialling, newDialState } from './keep-dialling.ts';
import { NodeLink } from './node-link.ts';
import type { FoundNode } from '../nats/used-fleet.ts';
import type { DialledRecord, NatsRecord, NodeRecord } from './records.ts';
import type { NodeRegistry } from './registry.ts';
import { dialSsh, sshTarget } from './ssh-road.ts';
import { dialGateway, gatewayTarget } from './url-road.ts';

interface DialledNode {
  readonly record: DialledRecord;
  readonly ended: AbortController;
  readonly dial: DialState;
}

/** The road over NATS: the nodes of fleets. */
export interface FleetRoad {
  dial(node: Pick<NatsRecord, 'fleet' | 'nkey'>, signal?: AbortSignal): Promise<Duplex>;
  /** Returns the reason why the server of a node is not reached. */
  reason(node: Pick<NatsRecord, 'fleet'>): string | undefined;
  /** Called for a node that was removed: it is not added again. */
  exclude(node: Pick<NatsRecord, 'fleet' | 'nkey'>): void;
  /** Called with a node that has appeared. */
  onFound: (node: FoundNode) => Promise<void>;
}

export class DialledNodes {
  readonly #registry: NodeRegistry;
  readonly #fleets: FleetRoad;
  readonly #all = new Map<string, DialledNode>();

  constructor(registry: NodeRegistry, fleets: FleetRoad) {
    this.#registry = registry;
    this.#fleets = fleets;
    for (const record of registry.records) if (isDialled(record)) this.#keep(record);
    registry.onRemove = (name) => this.#forget(name);
    registry.reasonOf = (name) => {
      const { record, dial } = this.#all.get(name) ?? {};
      return (record?.road === 'nats' ? fleets.reason(record) : undefined) ?? dial?.reason;
    };
    fleets.onFound = async ({ name, ...target }) => {
      const free = freeName(name, registry.names);
      await this.#addOver(await fleets.dial(target), target, free);
    };
  }

  /** Adds a node that was reached and has proved its key. */
  async add(asked: NewNode): Promise<NodeInfo> {
    const { name } = asked;
    this.#registry.checkName(name);
    const { duplex, target } = await firstLink(asked);
    await this.#addOver(duplex, target, name);
    await this.#registry.online(name);
    return (await this.#registry.list()).find((each) => each.name === name)!;
  }

  /** Adds the node at the other end, once it has proved its key. */
  async #addOver(duplex: Duplex, target: Target, name: string): Promise<void> {
    const link = new NodeLink(duplex, '', () => {});
    try {
      const { publicKey, role } = await link.meet();
      const known = this.#registry.byKey(publicKey);
      if (known)
        throw new SpoolError('NODE_NAME_TAKEN', { node: known.name, reason: 'this machine is a node already' });
      const record: DialledRecord = { ...target, name, publicKey, role, addedAt: Date.now() };
      this.#registry.add(record);
      this.#keep(record);
    } finally {
      link.close();
    }
  }

  #keep(record: DialledRecord): void {
    const dialled: DialledNode = { record, ended: new AbortController(), dial: newDialState() };
    this.#all.set(record.name, dialled);
    void keepDialling(dialled.dial, dialled.ended.signal, (onOnline) => this.#linkOnce(dialled, onOnline));
  }

  #forget(name: string): void {
    const forgotten = this.#all.get(name);
    forgotten?.ended.abort();
    this.#all.delete(name);
    if (forgotten?.record.road === 'nats') this.#fleets.exclude(forgotten.record);
  }

  async #dial(record: DialledRecord, signal: AbortSignal): Promise<Duplex> {
    switch (record.road) {
      case 'ssh':
        return (await dialSsh(record, signal)).duplex;
      case 'nats':
        return await this.#fleets.dial(record, signal);
      default:
        return await dialGateway(record, signal);
    }
  }

  /** Links once; resolves when the link has ended. */
  async #linkOnce({ record, ended: { signal } }: DialledNode, onOnline: () => void): Promise<void> {
    const duplex = await this.#dial(record, signal);
    const closed = Promise.withResolvers<void>();
    const link = new NodeLink(duplex, '', closed.resolve);
    const end = (): void => link.close();
    signal.addEventListener('abort', end);
    try {
      const { publicKey } = await link.meet();
      if (publicKey !== record.publicKey)
        throw new SpoolError('NOT_ALLOWED', {
          reason: 'the machine at this address has another key than the one added',
        });
      if (signal.aborted) return;
      this.#registry.connect(record, link, closed.promise);
      onOnline();
      await closed.promise;
    } finally {
      signal.removeEventListener('abort', end);
      link.close();
    }
  }
}

type WithoutNode<T> = T extends unknown ? Omit<T, 'name' | 'publicKey' | 'role' | 'addedAt'> : never;
/** The way to dial a node. */
type Target = WithoutNode<DialledRecord>;

/** Dials for the first time, over the road that the address names. */
async function firstLink(asked: NewNode): Promise<{ readonly duplex: Duplex; readonly target: Target }> {
  if (!asked.url.startsWith('ssh:')) {
    const target = gatewayTarget(asked);
    return { duplex: await dialGateway(target), target };
  }
  const { role: _role, ...target } = sshTarget(asked);
  const { duplex, token } = await dialSsh(sshTarget(asked));
  return { duplex, target: { ...target, token } };
}

/** Returns a name that no node has: two machines of a fleet may call themselves the same. */
function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  for (let number = 2; ; number++) {
    const other = `${name.slice(0, 58)}-${number}`;
    if (!taken.includes(other)) return other;
  }
}

function isDialled(record: NodeRecord): record is DialledRecord {
  return record.road !== 'join';
}
