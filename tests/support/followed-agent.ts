/** Follows an agent without a terminal in a test: its events so far, and the results of its turns. */
import type { AgentEvent, AgentHandle, Client } from '@spool/client';
import { until } from '@spool/testkit';
import { AGENT_STEP_MS_MAX } from '@spool/testkit/agents';

/** The time for real programs on a machine with other work. */
export const PATIENCE_MS = AGENT_STEP_MS_MAX;

type AgentEventOf<K extends AgentEvent['kind']> = Extract<AgentEvent, { readonly kind: K }>;

export class Turn {
  readonly events: readonly AgentEvent[];

  constructor(events: readonly AgentEvent[]) {
    this.events = events;
  }

  of<K extends AgentEvent['kind']>(kind: K): AgentEventOf<K>[] {
    return this.events.filter((event): event is AgentEventOf<K> => event.kind === kind);
  }

  get outcome(): string {
    return this.of('turn.ended')[0]?.outcome ?? 'running';
  }

  /** The texts in their final form. */
  get texts(): string[] {
    const withdrawn = new Set(this.of('message.retracted').flatMap(({ messages }) => messages));
    return this.of('message.done').flatMap(({ message, text }) => (withdrawn.has(message) ? [] : [text]));
  }

  get thoughts(): string[] {
    return this.of('thinking.done').map(({ text }) => text);
  }
}

export class FollowedAgent {
  readonly client: Client;
  readonly agent: AgentHandle;
  /** All events so far. */
  readonly events: AgentEvent[] = [];

  constructor(client: Client, agent: AgentHandle) {
    this.client = client;
    this.agent = agent;
    void this.#follow().catch(() => {}); // the daemon is stopped
  }

  /** Follows the events until the session has ended; across restarts of the daemon. */
  async #follow(): Promise<void> {
    for await (const item of this.client.watchEvents(this.agent.id))
      if (item.type === 'event') this.events.push(item.event);
  }

  /** Sends a prompt, and returns its id. */
  async submit(prompt: Parameters<AgentHandle['prompt']>[0]): Promise<string> {
    return (await this.agent.prompt(prompt)).id;
  }

  async turn(prompt: Parameters<AgentHandle['prompt']>[0]): Promise<Turn> {
    return await this.ended(await this.submit(prompt));
  }

  /** Returns the turn of a prompt, so far. */
  turnOf(prompt: string): Turn {
    const { events } = this;
    const from = events.findIndex((event) => event.kind === 'turn.started' && event.clientIds?.includes(prompt));
    if (from < 0) return new Turn([]);
    const ended = events.findIndex((event, at) => at > from && event.kind === 'turn.ended');
    return new Turn(events.slice(from, ended < 0 ? events.length : ended + 1));
  }

  async ended(prompt: string, { approving = false } = {}): Promise<Turn> {
    await until(
      'the turn has ended',
      async () => {
        if (approving) for (const ask of this.pending) await this.agent.approve(ask);
        return this.turnOf(prompt).outcome !== 'running';
      },
      PATIENCE_MS,
    );
    return this.turnOf(prompt);
  }

  async streams(prompt: string): Promise<void> {
    await until('text comes', () => this.turnOf(prompt).of('message.delta').length > 2, PATIENCE_MS);
  }

  /** The pending permissions. */
  get pending(): AgentEventOf<'permission.requested'>[] {
    const all = new Turn(this.events);
    const resolved = new Set(all.of('permission.resolved').map(({ request }) => request));
    return all.of('permission.requested').filter(({ request }) => !resolved.has(request));
  }

  async asked(): Promise<AgentEventOf<'permission.requested'>> {
    await until('a permission waits', () => this.pending.length > 0, PATIENCE_MS);
    return this.pending[0]!;
  }

  get unknown(): string[] {
    return new Turn(this.events).of('raw').map(({ type }) => type);
  }
}
