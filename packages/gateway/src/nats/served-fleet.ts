/**
 * A fleet of which this machine is a node. Each link of a machine that uses it is served as on every road; the role is that of the subject, which the
 * server has allowed, or the lower one that this machine grants. Keeps NODE-50 and NODE-53.
 */
import { randomBytes } from 'node:crypto';
import type { Authenticator } from '../auth/authenticator.ts';
import { type Principal, principalOf } from '../auth/principal.ts';
import type { DialState } from '../nodes/keep-dialling.ts';
import { lowerRole, type NodeServices, serveMachine } from '../nodes/node-server.ts';
import type { ServedFleetRecord } from '../nodes/records.ts';
import { isRole, type Role } from '@spool/protocol';
import { FleetConnection } from './fleet-connection.ts';
import { acceptLink, refusal } from './link-opening.ts';
import { KINDS } from './message-duplex.ts';
import type { NatsConnection } from './nats-connection.ts';
import { HERE_MS, hereMessage } from './presence.ts';

/** The maximum of links: one for each machine that uses this one. */
const LINKS_MAX = 1000;

/** The time within which all nodes answer a call, so that their answers do not come at once. */
const ANSWER_CALL_MS = 100;

export class ServedFleet {
  readonly record: ServedFleetRecord;
  readonly #services: NodeServices;
  readonly #connection: FleetConnection;
  onOnline: () => void = () => {};

  constructor(record: ServedFleetRecord, services: NodeServices) {
    this.record = record;
    this.#services = services;
    this.#connection = new FleetConnection(record);
    this.#connection.keep((connection) => this.#use(connection));
  }

  get dial(): DialState {
    return this.#connection.dial;
  }

  /** Announces that this machine leaves, so that the others do not have to notice its silence. Resolves when the server has it. */
  async leave(): Promise<void> {
    const { open: connection, subjects } = this.#connection;
    connection?.publish(subjects.gone(connection.key.public), Buffer.alloc(0));
    await connection?.flush();
    this.end();
  }

  end(): void {
    const { open: connection, subjects, links } = this.#connection;
    for (const link of links.values()) link.destroy();
    connection?.publish(subjects.gone(connection.key.public), Buffer.alloc(0));
    this.#connection.end();
  }

  #use(connection: NatsConnection): () => void {
    const { subjects, links } = this.#connection;
    const own = connection.key.public;
    const here = hereMessage(this.record.name, randomBytes(6).toString('hex'));
    const say = (): void => connection.publish(subjects.here(own), here);
    const timer = setInterval(say, HERE_MS);
    connection.subscribe(subjects.call, () => setTimeout(say, Math.random() * ANSWER_CALL_MS));
    connection.subscribe(subjects.up(own, '*', '*', '*'), (subject, message) => {
      const link = links.get(subject);
      if (link) link.receive(message);
      else this.#accept(connection, subject, message);
    });
    say();
    this.onOnline();
    return () => clearInterval(timer);
  }

  #accept(connection: NatsConnection, subject: string, message: Buffer): void {
    const { subjects, links, windows } = this.#connection;
    const [, fleet = '', , node = '', role = '', user = '', link = ''] = subject.split('.');
    const down = subjects.down(user, node, link);
    const send = (each: Buffer): void => connection.publish(down, each);
    const granted = (): Principal | null => grantedIn(this.#services.authenticator, this.record, role);
    const isOpening = message[0] === KINDS.open;
    if (!isOpening || links.size >= LINKS_MAX || granted() === null) return send(refusal()); // also for a link that is gone
    const accepted = acceptLink({ fleet, node, role, user, link }, message, connection.key, { send, windows });
    if (accepted === null) return;
    const { duplex, name } = accepted;
    links.set(subject, duplex);
    serveMachine(duplex, { name, granted }, this.#services, () => links.delete(subject));
  }
}

/** Returns the rights of a machine with this role in its subject; null if this machine grants none any more. */
function grantedIn(authenticator: Authenticator, { token }: ServedFleetRecord, role: string): Principal | null {
  const found = authenticator.peer(token);
  if (found === null || !isRole(role)) return null;
  const principal = principalOf(found);
  return { ...principal, role: lowerRole(principal.role, role satisfies Role) };
}
