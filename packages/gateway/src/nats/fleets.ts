/** The fleets of this machine: those whose nodes it uses, and those of which it is a node. Keeps NODE-50. */
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@spool/client';
import {
  type FleetPlace,
  type JoinedMachine,
  type NodeRequests,
  type Role,
  SpoolError,
  type FleetInfo,
} from '@spool/protocol';
import type { FleetRoad } from '../nodes/dialled-nodes.ts';
import { fingerprintOf } from '../nodes/machine-key.ts';
import type { NodeServices } from '../nodes/node-server.ts';
import type { FleetFile, NatsRecord, ServedFleetRecord, UsedFleetRecord } from '../nodes/records.ts';
import type { NodeRegistry } from '../nodes/registry.ts';
import { connectNats, type FleetAddress, natsAddress } from './nats-connection.ts';
import { NKey } from './nkey.ts';
import { ServedFleet } from './served-fleet.ts';
import { type FoundNode, UsedFleet } from './used-fleet.ts';

/** The time in which the nodes of a fleet answer the first call. */
const FOUND_WITHIN_MS = 1500;

/** The highest role that the users of a fleet get without being asked for by name. */
const ROLE_MAX: Role = 'operator';

export interface FleetsOptions {
  readonly file: FleetFile;
  /** The file with the nkey of this machine, unless another is given. */
  readonly seedFile: string;
  readonly services: NodeServices;
  readonly keeper: Client;
  readonly registry: NodeRegistry;
}

export class Fleets implements FleetRoad {
  readonly #options: FleetsOptions;
  readonly #used = new Map<string, UsedFleet>();
  readonly #served = new Map<string, ServedFleet>();
  onFound: (node: FoundNode) => Promise<void> = async () => {};

  constructor(options: FleetsOptions) {
    this.#options = options;
    for (const record of options.file.read()) {
      if (record.as === 'user') this.#use(record);
      else this.#serve(record);
    }
  }

  async dial({ fleet, nkey }: Pick<NatsRecord, 'fleet' | 'nkey'>, signal?: AbortSignal): Promise<Duplex> {
    const found = this.#used.get(fleet);
    if (!found) throw new SpoolError('NODE_UNKNOWN', { fleet });
    return await found.link(nkey, signal);
  }

  reason({ fleet }: Pick<NatsRecord, 'fleet'>): string | undefined {
    return this.#used.get(fleet)?.reason;
  }

  exclude({ fleet, nkey }: Pick<NatsRecord, 'fleet' | 'nkey'>): void {
    const without = this.#used.get(fleet)?.record.without;
    if (without === undefined || without.includes(nkey)) return;
    without.push(nkey);
    this.#save();
  }

  /** Returns the public key of this machine, which is made if necessary. */
  key({ seedFile }: Pick<FleetPlace, 'seedFile'>): { readonly key: string } {
    return { key: NKey.at(seedFile ?? this.#options.seedFile, seedFile === undefined).public };
  }

  /** Adds the nodes of a fleet. Resolves when those that are there have answered. */
  async add({ role = ROLE_MAX, ...place }: NodeRequests['addFleet']['ask']): Promise<FleetInfo> {
    const address = await this.#reached(place);
    const { fleet, url } = address;
    this.#used.get(fleet)?.end();
    const used = this.#use({ ...address, as: 'user', role, without: [] });
    this.#save();
    await pause(FOUND_WITHIN_MS);
    const nodes = async (): Promise<FleetInfo['nodes']> => {
      const mine = new Set(this.#namesIn(fleet));
      return (await this.#options.registry.list()).filter(({ name }) => mine.has(name));
    };
    return { fleet, url, key: NKey.at(used.record.seedFile).public, nodes: await nodes() };
  }

  /** Removes a fleet with its nodes. */
  remove(fleet: string): void {
    const used = this.#used.get(fleet);
    if (!used) throw new SpoolError('NODE_UNKNOWN', { fleet });
    this.#used.delete(fleet);
    used.end();
    for (const name of this.#namesIn(fleet)) this.#options.registry.remove(name);
    this.#save();
  }

  /** Makes this machine a node of a fleet. */
  async join({ role = ROLE_MAX, name, ...place }: NodeRequests['joinFleet']['ask']): Promise<JoinedMachine> {
    const address = await this.#reached(place);
    const before = this.#served.get(address.fleet);
    if (before) await this.#forget(before);
    const { info } = await this.#options.keeper.doors.createToken({
      kind: 'peer',
      role,
      name: `fleet ${address.fleet}`,
    });
    const served = this.#serve({ ...address, as: 'node', name, token: info.id });
    this.#save();
    const online = Promise.withResolvers<void>();
    served.onOnline = online.resolve;
    await Promise.race([online.promise, pause(FOUND_WITHIN_MS)]);
    return this.#describe(served);
  }

  /** The fleets of which this machine is a node. */
  list(): readonly JoinedMachine[] {
    return [...this.#served.values()].map((each) => this.#describe(each));
  }

  /** Ends the service for a fleet, by its name or address; null if there is none. */
  async leave(name: string): Promise<JoinedMachine | null> {
    const found = [...this.#served.values()].find(({ record }) =>
      [`fleet ${record.fleet}`, record.fleet, record.url].includes(name),
    );
    if (!found) return null;
    const left = this.#describe(found);
    await this.#forget(found);
    this.#save();
    return left;
  }

  /** Ends the service for fleets whose rights were revoked. */
  closeRevoked(): void {
    const { authenticator } = this.#options.services;
    const revoked = [...this.#served.values()].filter(({ record }) => authenticator.peer(record.token) === null);
    for (const each of revoked) {
      this.#served.delete(each.record.fleet);
      each.end();
    }
    if (revoked.length > 0) this.#save();
  }

  /** Announces the end of the gateway to the fleets that it serves. */
  async end(): Promise<void> {
    await Promise.all([...this.#served.values()].map((each) => each.leave()));
  }

  /** Returns the address of a fleet whose server admits this machine. */
  async #reached({ url, fleet, seedFile, ca }: FleetPlace): Promise<FleetAddress & { ca?: string }> {
    const own = seedFile ?? this.#options.seedFile;
    NKey.at(own, seedFile === undefined);
    const address = { url: natsAddress(url), fleet, seedFile: own, ...(ca !== undefined && { ca }) };
    (await connectNats(address)).close();
    return address;
  }

  #use(record: UsedFleetRecord): UsedFleet {
    const used = new UsedFleet(record);
    const isKnown = (nkey: string): boolean =>
      this.#options.registry.records.some(
        (each) => each.road === 'nats' && each.nkey === nkey && each.fleet === record.fleet,
      );
    used.onFound = async (node) => {
      if (!isKnown(node.nkey)) await this.onFound(node);
    };
    this.#used.set(record.fleet, used);
    used.start();
    return used;
  }

  #serve(record: ServedFleetRecord): ServedFleet {
    const served = new ServedFleet(record, this.#options.services);
    this.#served.set(record.fleet, served);
    return served;
  }

  async #forget(served: ServedFleet): Promise<void> {
    this.#served.delete(served.record.fleet);
    served.end();
    await this.#options.keeper.doors.revokeToken(served.record.token).catch(() => {}); // revoked before
  }

  #describe({ record, dial: { state, since, reason } }: ServedFleet): JoinedMachine {
    const { authenticator, key } = this.#options.services;
    return {
      name: `fleet ${record.fleet}`,
      as: record.name,
      url: record.url,
      role: authenticator.peer(record.token)?.role ?? 'viewer',
      state,
      since,
      ownFingerprint: fingerprintOf(key.publicKey),
      ...(state !== 'online' && reason !== undefined && { reason }),
    };
  }

  #namesIn(fleet: string): readonly string[] {
    const all = this.#options.registry.records;
    return all.flatMap((record) => (record.road === 'nats' && record.fleet === fleet ? [record.name] : []));
  }

  #save(): void {
    this.#options.file.write([...this.#used.values(), ...this.#served.values()].map(({ record }) => record));
  }
}
