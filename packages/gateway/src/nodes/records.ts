/**
 * The files about other machines: the nodes of this one, and the machines that this one has joined. Only the gateway writes these
 * files, and a file exists only while it has entries, so that others can check for entries without reading it.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { NODE_NAME, type NodeRoad, ROLES } from '@spool/protocol';
import { FLEET_NAME, NKEY } from '@spool/protocol/fleets';
import { z } from 'zod';
import { PUBLIC_KEY_CHARS } from './machine-key.ts';

/** The maximum of nodes, and of joined machines. */
export const NODES_MAX = 1000;

/** The maximum length of a path. */
export const PATH_CHARS_MAX = 4096;

const publicKey = z.string().length(PUBLIC_KEY_CHARS);
const nodeName = z.string().regex(NODE_NAME);

const everyNode = { name: nodeName, role: z.enum(ROLES), publicKey, addedAt: z.number() };
const urlRecord = z.object({
  ...everyNode,
  road: z.literal('url' satisfies NodeRoad),
  url: z.string().max(2000),
  token: z.string().max(200),
  ca: z.string().max(PATH_CHARS_MAX).optional(),
});
const sshRecord = z.object({
  ...everyNode,
  road: z.literal('ssh' satisfies NodeRoad),
  url: z.string().max(2000),
  /** The record of this machine's rights on the other machine. */
  token: z.string().max(20),
  agent: z.string().max(PATH_CHARS_MAX).optional(),
});
const natsRecord = z.object({
  ...everyNode,
  road: z.literal('nats' satisfies NodeRoad),
  url: z.string().max(2000),
  fleet: z.string().regex(FLEET_NAME),
  /** The key of the node at the NATS server. */
  nkey: z.string().regex(NKEY),
});
const nodeRecord = z.discriminatedUnion('road', [
  z.object({ ...everyNode, road: z.literal('join' satisfies NodeRoad) }),
  urlRecord,
  sshRecord,
  natsRecord,
]);
const everyFleet = {
  fleet: z.string().regex(FLEET_NAME),
  url: z.string().max(2000),
  seedFile: z.string().max(PATH_CHARS_MAX),
  ca: z.string().max(PATH_CHARS_MAX).optional(),
};
const fleetRecord = z.discriminatedUnion('as', [
  z.object({
    ...everyFleet,
    as: z.literal('user'),
    role: z.enum(ROLES),
    /** The keys of nodes that were removed. */
    without: z.array(z.string().regex(NKEY)).max(NODES_MAX),
  }),
  z.object({ ...everyFleet, as: z.literal('node'), name: nodeName, token: z.string().max(20) }),
]);
const joinRecord = z.object({
  name: z.string().max(200),
  as: nodeName,
  url: z.string().max(2000),
  publicKey,
  token: z.string().max(20),
});

/** A node of this machine. */
export type NodeRecord = z.infer<typeof nodeRecord>;

/** A node that this machine dials. */
export type UrlRecord = z.infer<typeof urlRecord>;
export type SshRecord = z.infer<typeof sshRecord>;
export type NatsRecord = z.infer<typeof natsRecord>;
export type DialledRecord = UrlRecord | SshRecord | NatsRecord;

/** A fleet of which this machine is a node, or whose nodes it uses. */
type FleetRecord = z.infer<typeof fleetRecord>;
export type UsedFleetRecord = Extract<FleetRecord, { as: 'user' }>;
export type ServedFleetRecord = Extract<FleetRecord, { as: 'node' }>;

/** A machine that this one has joined: `token` is the record of its rights here. */
export type JoinRecord = z.infer<typeof joinRecord>;

class MachineFile<T> {
  readonly #path: string;
  readonly #schema: z.ZodType<T>;

  constructor(path: string, schema: z.ZodType<T>) {
    this.#path = path;
    this.#schema = schema;
  }

  /** Returns the entries. A damaged file is an error: overwriting it would lose pinned keys. */
  read(): readonly T[] {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    return z.array(this.#schema).max(NODES_MAX).parse(JSON.parse(text));
  }

  write(entries: readonly T[]): void {
    if (entries.length === 0) return rmSync(this.#path, { force: true });
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    writeFileSync(`${this.#path}.tmp`, `${JSON.stringify(entries, null, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(`${this.#path}.tmp`, this.#path);
  }
}

export type NodeFile = MachineFile<NodeRecord>;
export type JoinFile = MachineFile<JoinRecord>;

export function nodeFileAt(path: string): NodeFile {
  return new MachineFile(path, nodeRecord);
}

export type FleetFile = MachineFile<FleetRecord>;

export function fleetFileAt(path: string): FleetFile {
  return new MachineFile(path, fleetRecord);
}

export function joinFileAt(path: string): JoinFile {
  return new MachineFile(path, joinRecord);
}
