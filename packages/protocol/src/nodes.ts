/**
 * The messages about nodes: other machines with a daemon that this one knows by name, and the socket on which local clients reach
 * them.
 */
import type { WireError } from './errors.ts';
import type { ListFilter, ListOptions } from './listing.ts';
import type { SessionInfo } from './messages.ts';
import type { Role } from './roles.ts';

/** The roads on which frames reach a node. */
export const NODE_ROADS = [
  /** The node dials this machine, and serves it over that connection. */
  'join',
  /** This machine dials the gateway of the node, with a token. */
  'url',
  /** This machine runs ssh, and the node serves it over the input and output of that process. */
  'ssh',
  /** Both machines are clients of a NATS server, which passes messages on. */
  'nats',
] as const;
export type NodeRoad = (typeof NODE_ROADS)[number];

export interface NodeInfo {
  readonly name: string;
  readonly road: NodeRoad;
  readonly state: 'online' | 'away';
  /** The time since which the node is in this state. */
  readonly since: number;
  /** The version of Spool on the node; null if it was never seen. */
  readonly version: string | null;
  /** The number of its sessions, as last seen. */
  readonly sessions: number;
  /** The rights of this machine on the node. */
  readonly role: Role;
  /** The fingerprint of the key of the node. */
  readonly fingerprint: string;
  /** The reason why the last attempt to reach it failed. */
  readonly reason?: string | undefined;
  /** The address on which this machine dials it. */
  readonly url?: string | undefined;
}

/** A machine that this one has joined, and serves. */
export interface JoinedMachine {
  /** The name of that machine. */
  readonly name: string;
  /** The name of this machine there. */
  readonly as: string;
  readonly url: string;
  readonly role: Role;
  /** `refused`: that machine has removed this node, so it is not dialled any more. */
  readonly state: 'online' | 'away' | 'refused';
  readonly since: number;
  /** The fingerprint of the key of that machine; absent for a fleet, which is many. */
  readonly fingerprint?: string | undefined;
  /** The fingerprint of the key of this machine. */
  readonly ownFingerprint: string;
  /** The reason why the last attempt to reach it failed. */
  readonly reason?: string | undefined;
}

/** The sessions of a node; for an offline node, those that it had when it was last seen. */
export interface NodeSessions {
  readonly node: string;
  readonly state: NodeInfo['state'];
  readonly since: number;
  readonly sessions: readonly SessionInfo[];
  /** The number of ended sessions that match, whatever the limit. */
  readonly ended: number;
}

/** A fleet that this machine uses. */
export interface FleetInfo {
  readonly fleet: string;
  readonly url: string;
  /** The key of this machine at the NATS server. */
  readonly key: string;
  readonly nodes: readonly NodeInfo[];
}

/** The place of a fleet, and who this machine is there. */
export interface FleetPlace {
  readonly url: string;
  readonly fleet: string;
  /** The file with the seed of the nkey of this machine; by default one that Spool makes. */
  readonly seedFile?: string | undefined;
  /** A file with certificates to trust besides the usual ones. */
  readonly ca?: string | undefined;
}

export interface NewNode {
  readonly url: string;
  readonly name: string;
  /** The token for the gateway of the node, on the road `url`. */
  readonly token?: string | undefined;
  /** The rights of this machine on the node, on the road `ssh`, where the user has them all. */
  readonly role?: Role | undefined;
  /** The socket of the ssh agent, on the road `ssh`. */
  readonly agent?: string | undefined;
  /** A file with certificates to trust besides the usual ones. */
  readonly ca?: string | undefined;
}

/** A session of any machine. */
export interface NodeSession extends SessionInfo {
  /** The node of the session; absent for the machine that was asked. */
  readonly node?: string;
  /** The time since which the node is offline; the session is as last seen. */
  readonly nodeAwaySince?: number;
}

/** A change of the nodes: one that has changed, with the sessions that have changed since; one that was removed; or the end of the first list. */
export type NodeNews =
  | { readonly node: NodeInfo; readonly put: readonly SessionInfo[]; readonly gone: readonly string[] }
  | { readonly removed: string }
  | { readonly listed: true };

/**
 * The requests on the socket of nodes, each with its answer. After the answer to `open`, both sides send frames; after the answer to
 * `follow`, each line is a `NodeNews`.
 */
export interface NodeRequests {
  open: { ask: { readonly node: string }; answer: Record<never, never> };
  follow: { ask: Record<never, never>; answer: Record<never, never> };
  list: { ask: Record<never, never>; answer: { readonly nodes: readonly NodeInfo[] } };
  sessions: {
    ask: {
      readonly running: ListFilter | null;
      readonly ended: ListOptions | null;
      /** Whether nodes are not asked: their sessions are listed as last seen, at once. */
      readonly asSeen?: boolean | undefined;
    };
    answer: { readonly nodes: readonly NodeSessions[] };
  };
  join: {
    ask: { readonly url: string; readonly code: string; readonly name: string; readonly role?: Role | undefined };
    answer: JoinedMachine;
  };
  joins: { ask: Record<never, never>; answer: { readonly machines: readonly JoinedMachine[] } };
  leave: { ask: { readonly name: string }; answer: JoinedMachine };
  /** Adds a node that this machine dials. */
  add: { ask: NewNode; answer: NodeInfo };
  /** Returns the public nkey of this machine, which is made if necessary. */
  natsKey: { ask: Pick<FleetPlace, 'seedFile'>; answer: { readonly key: string } };
  /** Makes this machine a node of a fleet. */
  joinFleet: { ask: FleetPlace & { readonly name: string; readonly role?: Role | undefined }; answer: JoinedMachine };
  /** Adds all nodes of a fleet, now and later. */
  addFleet: { ask: FleetPlace & { readonly role?: Role | undefined }; answer: FleetInfo };
  /** Removes a fleet with its nodes. */
  removeFleet: { ask: Pick<FleetPlace, 'fleet'>; answer: { readonly fleet: string } };
  /** Serves the machine at the other end of this connection, with the rights of a token of the kind `peer`; the first time makes one. */
  serve: {
    ask: { readonly name: string; readonly role: Role } | { readonly name: string; readonly token: string };
    answer: { readonly token: string };
  };
  remove: { ask: { readonly name: string }; answer: { readonly name: string } };
}

export type NodeOp = keyof NodeRequests;

/** A line on the socket of nodes, in each direction. */
export type NodeAsk<K extends NodeOp = NodeOp> = { readonly ask: K } & NodeRequests[K]['ask'];
export type NodeAnswer<K extends NodeOp = NodeOp> =
  | { readonly ok: NodeRequests[K]['answer'] }
  | { readonly error: WireError };

/** The maximum length of a line from a client. */
export const NODE_ASK_BYTES_MAX = 64 * 1024;

/** Matches the name of a node, which comes before the slash in `NODE/ID`. */
export const NODE_NAME = /^[A-Za-z0-9][\w.-]{0,62}$/;
