/** The machines whose events are listed: the chosen one, and on request all its nodes. */
import type { Client } from '@spool/client';
import { shortDuration } from '@spool/protocol/duration';
import { notice } from '../output/stdio.ts';
import type { ListedEvent } from './listed-event.ts';
import { pastEvents } from './past-events.ts';
import { SessionNames } from './session-names.ts';

interface EventMachine {
  readonly client: Client;
  readonly names: SessionNames;
}

export class EventMachines {
  readonly #client: Client;
  readonly #own: string | undefined;
  /** The machines by node; the chosen one first. */
  readonly #machines = new Map<string | undefined, EventMachine>();

  /** `own` is the name of the chosen machine, if it is a node itself. */
  constructor(client: Client, own: string | undefined) {
    this.#client = client;
    this.#own = own;
    this.#add(own, client);
  }

  /** Adds the nodes that are online. The events of offline nodes cannot be read, so only their absence is shown. */
  async findNodes(): Promise<void> {
    const nodes = await this.#client.nodes.list().catch(() => null);
    if (nodes === null) notice('The events of nodes are not listed, because no gateway runs; `spool web` starts it.');
    for (const { name, state, since } of nodes ?? []) {
      if (state === 'online') this.#add(name, this.#client.node(name));
      else notice(`${name} is away since ${shortDuration(Date.now() - since)}: its events are not listed.`);
    }
  }

  /** Returns the past events of all machines, in order of time. */
  async past(
    sessions: readonly string[] | undefined,
    since: number,
  ): Promise<readonly { readonly node: string | undefined; readonly event: ListedEvent }[]> {
    const all = await Promise.all(
      [...this.#machines].map(async ([node, { client, names }]) => {
        const found = await this.#pastOf(client, names, sessions, since).catch((error: unknown) => {
          if (node === this.#own) throw error;
          notice(
            `The past events of ${node} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
          );
          return [];
        });
        return found.map((event) => ({ node, event }));
      }),
    );
    return all.flat().sort((a, b) => a.event.at - b.event.at);
  }

  /** Returns the names of the sessions of a machine, including one that has joined meanwhile. */
  names(node: string | undefined): SessionNames {
    return (this.#machines.get(node) ?? this.#add(node, this.#client.node(node!))).names;
  }

  async #pastOf(
    client: Client,
    names: SessionNames,
    sessions: readonly string[] | undefined,
    since: number,
  ): Promise<readonly ListedEvent[]> {
    const listed = (await client.list()).filter(({ id }) => sessions?.includes(id) ?? true);
    names.learn(listed);
    return await pastEvents(client, listed, since);
  }

  #add(node: string | undefined, client: Client): EventMachine {
    const machine = { client, names: new SessionNames(client) };
    this.#machines.set(node, machine);
    return machine;
  }
}
