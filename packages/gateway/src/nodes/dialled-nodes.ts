/**
 * The nodes that this machine dials itself, by their address or by ssh. Each has a link that is restored whenever it breaks; the
 * node serves HTTP/2 on it, as a joined node does. The key of a node is pinned when it is added. Keeps NODE-20.
 */
import type { Duplex } from 'node:stream';
import { type NewNode, type NodeInfo, SpoolError } from '@spool/protocol';
import { type DialState, keepDialling, newDialState } from './keep-dialling.ts';
import { NodeLink } from './node-link.ts';
import type { DialledRecord, NodeRecord } from './records.ts';
import type { NodeRegistry } from './registry.ts';
import { dialSsh, sshTarget } from './ssh-road.ts';
import { dialGateway, gatewayTarget } from './url-road.ts';

interface DialledNode {
  readonly record: DialledRecord;
  readonly ended: AbortController;
  readonly dial: DialState;
}

export class DialledNodes {
  readonly #registry: NodeRegistry;
  readonly #all = new Map<string, DialledNode>();

  constructor(registry: NodeRegistry) {
    this.#registry = registry;
    for (const record of registry.records) if (isDialled(record)) this.#keep(record);
    registry.onRemove = (name) => this.#forget(name);
    registry.reasonOf = (name) => this.#all.get(name)?.dial.reason;
  }

  /** Adds a node that was reached and has proved its key. */
  async add(asked: NewNode): Promise<NodeInfo> {
    const { name } = asked;
    this.#registry.checkName(name);
    const { duplex, target } = await firstLink(asked);
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
    await this.#registry.online(name);
    return (await this.#registry.list()).find((each) => each.name === name)!;
  }

  #keep(record: DialledRecord): void {
    const dialled: DialledNode = { record, ended: new AbortController(), dial: newDialState() };
    this.#all.set(record.name, dialled);
    void keepDialling(dialled.dial, dialled.ended.signal, (onOnline) => this.#linkOnce(dialled, onOnline));
  }

  #forget(name: string): void {
    this.#all.get(name)?.ended.abort();
    this.#all.delete(name);
  }

  /** Links once; resolves when the link has ended. */
  async #linkOnce({ record, ended: { signal } }: DialledNode, onOnline: () => void): Promise<void> {
    const duplex = record.road === 'ssh' ? (await dialSsh(record, signal)).duplex : await dialGateway(record, signal);
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

type Target = Omit<Extract<DialledRecord, { road: 'url' }>, 'name' | 'publicKey' | 'role' | 'addedAt'>;
type SshTargetRecord = Omit<Extract<DialledRecord, { road: 'ssh' }>, 'name' | 'publicKey' | 'role' | 'addedAt'>;

/** Dials for the first time, over the road that the address names. */
async function firstLink(
  asked: NewNode,
): Promise<{ readonly duplex: Duplex; readonly target: Target | SshTargetRecord }> {
  if (!asked.url.startsWith('ssh:')) {
    const target = gatewayTarget(asked);
    return { duplex: await dialGateway(target), target };
  }
  const { role: _role, ...target } = sshTarget(asked);
  const { duplex, token } = await dialSsh(sshTarget(asked));
  return { duplex, target: { ...target, token } };
}

function isDialled(record: NodeRecord): record is DialledRecord {
  return record.road !== 'join';
}
