/**
 * The machines that this one has joined. The gateway dials each of them repeatedly, and serves it over that connection, so a node
 * needs no address that others can reach. Keeps NODE-1.
 */
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@spool/client';
import { gatewayAddress } from '@spool/client/remote';
import { type JoinedMachine, mayDo, type NodeRequests, type Role, SpoolError } from '@spool/protocol';
import { WebSocket } from 'ws';
import type { Authenticator } from '../auth/authenticator.ts';
import { type Principal, principalOf } from '../auth/principal.ts';
import { introduceNode } from './handshake.ts';
import { JOIN_PATH, LINK_MESSAGE_BYTES_MAX } from './join-entrance.ts';
import { type DialState, keepDialling, newDialState } from './keep-dialling.ts';
import { fingerprintOf, type MachineKey } from './machine-key.ts';
import { serveMachine } from './node-server.ts';
import { type JoinFile, type JoinRecord, NODES_MAX } from './records.ts';
import { acceptedInvite } from './invite.ts';
import type { RelayedRoutes } from './relayed-routes.ts';
import type { ServedLinks } from './served-links.ts';
import { duplexOver } from './socket-duplex.ts';

const CONNECT_WITHIN_MS = 10_000;

/** The time for which `join` waits for the link, so that the node is online when `join` answers. */
const REACHED_WITHIN_MS = 5000;

/** The highest role that a machine gets unless a role is named: an owner could change the daemon itself. */
const ROLE_MAX: Role = 'operator';

interface DialledMachine {
  readonly record: JoinRecord;
  readonly ended: AbortController;
  readonly dial: DialState;
  /** Resolves when the machine is reached for the first time. */
  readonly reached: PromiseWithResolvers<void>;
}

export interface JoinedMachinesOptions {
  readonly file: JoinFile;
  readonly key: MachineKey;
  readonly authenticator: Authenticator;
  readonly keeper: Client;
  /** The requests that are answered besides frames. */
  readonly relayed: RelayedRoutes;
  readonly served: ServedLinks;
}

export class JoinedMachines {
  readonly #options: JoinedMachinesOptions;
  readonly #all = new Map<string, DialledMachine>();
  #isEnding = false;

  constructor(options: JoinedMachinesOptions) {
    this.#options = options;
    for (const record of options.file.read()) this.#dial(record);
  }

  /** Joins a machine with its invite; `role` may be lower than that of the invite. */
  async join({ url, code, name, role }: NodeRequests['join']['ask']): Promise<JoinedMachine> {
    const { key, keeper } = this.#options;
    if (this.#all.size >= NODES_MAX) throw new SpoolError('TOO_MANY', { machines: NODES_MAX });
    const address = gatewayAddress(url);
    const accepted = await acceptedInvite(address, code, name, key);
    const most = role ?? ROLE_MAX;
    const granted = mayDo(accepted.role, most) ? most : accepted.role;
    const { info } = await keeper.doors.createToken({ kind: 'peer', role: granted, name: accepted.name });
    const record = { name: accepted.name, as: name, url: address.url, publicKey: accepted.publicKey, token: info.id };
    const before = this.#all.get(record.publicKey);
    if (before) await this.#forget(before);
    const dialling = this.#dial(record);
    this.#save();
    await Promise.race([dialling.reached.promise, pause(REACHED_WITHIN_MS, undefined, { ref: false })]);
    return this.#describe(dialling);
  }

  list(): readonly JoinedMachine[] {
    return [...this.#all.values()].map((each) => this.#describe(each));
  }

  /** Ends the service for a machine, by its name or address. */
  async leave(name: string): Promise<JoinedMachine> {
    const found = [...this.#all.values()].filter(({ record }) => record.name === name || record.url === name);
    if (found.length !== 1) throw new SpoolError('NODE_UNKNOWN', { machine: name, matching: found.length });
    const machine = this.#describe(found[0]!);
    await this.#forget(found[0]!);
    this.#save();
    return machine;
  }

  /** Ends the service for machines whose rights were revoked. */
  closeRevoked(): void {
    const revoked = [...this.#all.values()].filter(
      ({ record }) => this.#options.authenticator.peer(record.token) === null,
    );
    for (const { record, ended } of revoked) {
      this.#all.delete(record.publicKey);
      ended.abort();
    }
    if (revoked.length > 0) this.#save();
  }

  /** Dials no more: the gateway ends. The links are ended by `ServedLinks`. */
  end(): void {
    this.#isEnding = true;
    for (const { dial, ended } of this.#all.values()) if (dial.state !== 'online') ended.abort();
  }

  #describe({ record, dial: { state, since, reason } }: DialledMachine): JoinedMachine {
    const { key, authenticator } = this.#options;
    return {
      name: record.name,
      as: record.as,
      url: record.url,
      role: authenticator.peer(record.token)?.role ?? 'viewer',
      state,
      since,
      fingerprint: fingerprintOf(record.publicKey),
      ownFingerprint: fingerprintOf(key.publicKey),
      ...(state !== 'online' && reason !== undefined && { reason }),
    };
  }

  async #forget({ record, ended }: DialledMachine): Promise<void> {
    this.#all.delete(record.publicKey);
    ended.abort();
    await this.#options.keeper.doors.revokeToken(record.token).catch(() => {}); // revoked before
  }

  #save(): void {
    this.#options.file.write([...this.#all.values()].map(({ record }) => record));
  }

  #dial(record: JoinRecord): DialledMachine {
    const dialling: DialledMachine = {
      record,
      ended: new AbortController(),
      dial: newDialState(),
      reached: Promise.withResolvers(),
    };
    this.#all.set(record.publicKey, dialling);
    void keepDialling(dialling.dial, dialling.ended.signal, (onOnline) => this.#serveOnce(dialling, onOnline));
    return dialling;
  }

  /** Dials once; resolves when the link has ended. */
  async #serveOnce(dialling: DialledMachine, onOnline: () => void): Promise<void> {
    const { record, ended } = dialling;
    const { key, authenticator, relayed, served } = this.#options;
    const socket = new WebSocket(gatewayAddress(record.url).socketUrl.replace(/\/ws$/, JOIN_PATH), {
      maxPayload: LINK_MESSAGE_BYTES_MAX,
      perMessageDeflate: false,
      allowSynchronousEvents: false,
      handshakeTimeout: CONNECT_WITHIN_MS,
    });
    const end = (): void => socket.terminate();
    ended.signal.addEventListener('abort', end);
    try {
      const failed = Promise.withResolvers<never>();
      failed.promise.catch(() => {}); // it may have been reported already
      socket.on('error', failed.reject);
      await Promise.race([introduceNode(socket, key, record.publicKey), failed.promise]);
      const closed = Promise.withResolvers<void>();
      const granted = (): Principal | null => {
        const token = authenticator.peer(record.token);
        return token && principalOf(token);
      };
      serveMachine(
        duplexOver(socket),
        { name: record.name, granted },
        { authenticator, key, relayed, served },
        closed.resolve,
      );
      onOnline();
      dialling.reached.resolve();
      await closed.promise;
    } finally {
      ended.signal.removeEventListener('abort', end);
      socket.terminate();
      if (this.#isEnding) ended.abort();
    }
  }
}

/** The name by which this machine calls itself. */
export function ownName(): string {
  return hostname().slice(0, 100);
}
