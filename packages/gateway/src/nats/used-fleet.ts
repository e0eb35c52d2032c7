/**
 * The fleets whose nodes this machine uses. A node of a fleet is added when it says for the first time that it is there, and linked whenever it is. Keeps
 * NODE-50.
 */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { type Role, SpoolError } from '@spool/protocol';
import { ownName } from '../nodes/joined-machines.ts';
import type { NatsRecord, UsedFleetRecord } from '../nodes/records.ts';
import { FleetConnection } from './fleet-connection.ts';
import { OpeningLink } from './link-opening.ts';
import type { NatsConnection } from './nats-connection.ts';
import { Presence } from './presence.ts';

/** The time in which a node must answer the first message of a link. */
const ANSWER_WITHIN_MS = 2000;

/** The pause before a node that could not be added is tried again, which doubles each time. */
const AGAIN_MS_FIRST = 1000;
const AGAIN_MS_MAX = 60_000;

/** A node of a fleet that this machine does not know yet. */
export type FoundNode = Pick<NatsRecord, 'road' | 'url' | 'fleet' | 'nkey'> & { readonly name: string };

export class UsedFleet {
  readonly record: UsedFleetRecord;
  readonly presence = new Presence();
  readonly #connection: FleetConnection;
  readonly #links = new Map<string, Set<Duplex>>();
  readonly #again = new Map<string, { at: number; ms: number }>();
  /** Adds a node that is not known yet. */
  onFound: (node: FoundNode) => Promise<void> = async () => {};

  constructor(record: UsedFleetRecord) {
    this.record = record;
    this.#connection = new FleetConnection(record);
    this.presence.onGone = (key) => this.#links.get(key)?.forEach((link) => link.destroy());
  }

  /** The reason why its server is not reached. */
  get reason(): string | undefined {
    const { open, dial } = this.#connection;
    return open ? undefined : dial.reason;
  }

  start(): void {
    this.#connection.keep((connection) => this.#use(connection));
  }

  end(): void {
    this.#connection.end();
    this.presence.end();
  }

  /** Opens a link to a node as soon as it is there. */
  async link(node: string, signal?: AbortSignal): Promise<Duplex> {
    await this.presence.of(node, signal);
    const { open: connection, subjects, address } = this.#connection;
    if (!connection) throw new SpoolError('CONNECTION_LOST');
    const user = connection.key.public;
    const place = {
      fleet: address.fleet,
      node,
      role: this.record.role as Role,
      user,
      link: randomBytes(9).toString('hex'),
    };
    const up = subjects.up(node, place.role, user, place.link);
    const down = subjects.down(user, node, place.link);
    const opening = new OpeningLink(place, ownName(), connection.key);
    const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
    const late = setTimeout(
      () => reject(new SpoolError('NODE_AWAY', { reason: 'it does not answer' })),
      ANSWER_WITHIN_MS,
    );
    const { links, windows } = this.#connection;
    const refused = {
      receive() {},
      destroy: () => reject(new SpoolError('NOT_ALLOWED', { reason: `the server does not allow ${place.role}` })),
    };
    links.set(up, refused);
    links.set(down, {
      destroy: () => reject(new SpoolError('CONNECTION_LOST')),
      receive: (message) => {
        try {
          const duplex = opening.accepted(message, { send: (each) => connection.publish(up, each), windows });
          links.set(down, duplex);
          links.set(up, duplex);
          resolve(duplex);
        } catch (error) {
          reject(error as Error);
        }
      },
    });
    connection.publish(up, opening.message, down);
    const forget = (): void => {
      links.delete(up);
      links.delete(down);
    };
    try {
      const duplex = await promise;
      this.#hold(node, duplex, forget);
      return duplex;
    } catch (error) {
      forget();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  #hold(node: string, duplex: Duplex, forget: () => void): void {
    const links = this.#links.get(node) ?? new Set();
    this.#links.set(node, links.add(duplex));
    duplex.once('close', () => {
      forget();
      links.delete(duplex);
    });
  }

  #use(connection: NatsConnection): () => void {
    const { links, subjects } = this.#connection;
    const keyIn = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1);
    connection.subscribe(subjects.down(connection.key.public, '*', '*'), (subject, message, isUnheard) => {
      const link = links.get(subject);
      this.presence.heard(subject.split('.')[4] ?? '');
      if (isUnheard) link?.destroy();
      else link?.receive(message);
    });
    connection.subscribe(subjects.gone('*'), (subject) => this.presence.gone(keyIn(subject)));
    connection.subscribe(subjects.here('*'), (subject, message) => {
      const key = keyIn(subject);
      const here = this.presence.note(key, message);
      if (here)
        void this.#meet({ road: 'nats', url: this.record.url, fleet: this.record.fleet, nkey: key, name: here.name });
    });
    connection.publish(subjects.call, Buffer.alloc(0));
    return () => this.presence.clear();
  }

  /** Lets a node be added, unless that has failed a moment ago. */
  async #meet(node: FoundNode): Promise<void> {
    if (this.record.without.includes(node.nkey)) return;
    const again = this.#again.get(node.nkey) ?? { at: 0, ms: AGAIN_MS_FIRST };
    if (performance.now() < again.at) return;
    this.#again.set(node.nkey, { at: performance.now() + again.ms, ms: Math.min(AGAIN_MS_MAX, again.ms * 2) });
    await this.onFound(node).then(
      () => this.#again.delete(node.nkey),
      () => {}, // tried again
    );
  }
}
