/**
 * An agent without a terminal: its events as an async iterator, and what a client may tell it. A handle, not an owner:
 * dropping it ends nothing, and several may be open at once. `approve`, `deny` and `answer` resolve with the outcome: the first
 * answer wins, and the others learn who was first.
 */
import { type SessionInfo, SpoolError } from '@spool/protocol';
import type { AgentEvent, Command, Content } from '@spool/protocol/agent';
import type { Client } from '../client.ts';
import type { Commanded } from '../options.ts';
import { contentOf } from './launch.ts';

type Resolved = Extract<AgentEvent, { readonly kind: 'permission.resolved' | 'question.resolved' }>;
type Refused = Extract<AgentEvent, { readonly kind: 'command.refused' }>;
type Asked = Extract<AgentEvent, { readonly kind: 'permission.requested' | 'question.asked' }>;

export interface Decided {
  /** True when this answer decided. */
  readonly isOurs: boolean;
  /** How it was decided; null when there was no such request. */
  readonly outcome: Resolved | null;
  /** Why the answer was not carried out. */
  readonly reason: string | null;
}

export class AgentHandle implements AsyncIterable<AgentEvent> {
  readonly id: string;
  /** As it was when the handle was made. */
  readonly info: SessionInfo;
  readonly #client: Client;

  constructor(client: Client, info: SessionInfo) {
    this.#client = client;
    this.id = info.id;
    this.info = info;
  }

  /** Its events from the first that is kept to the end. */
  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, undefined> {
    await using events = this.#client.watchEvents(this.id);
    for await (const item of events) if (item.type === 'event') yield item.event;
    return undefined;
  }

  /** Submits a prompt: now if the agent waits for one, otherwise in its turn. */
  prompt(
    prompt: string | readonly Content[],
    options: { readonly id?: string | undefined; readonly when?: 'now' | 'next' | 'queue' | undefined } = {},
  ): Promise<Commanded> {
    const id = options.id ?? this.#newId();
    const { when } = options;
    const command: Command = { do: 'prompt', clientId: id, content: contentOf(prompt), ...(when && { when }) };
    return this.command(command, id);
  }

  interrupt(options: { readonly alsoQueued?: boolean } = {}): Promise<Commanded> {
    return this.command({ do: 'interrupt', ...options });
  }

  /** The agent's input ends: it finishes what it does, and exits. */
  close(): Promise<Commanded> {
    return this.command({ do: 'close' });
  }

  command(command: Command, id = this.#newId()): Promise<Commanded> {
    return this.#client.command(this.id, command, { id });
  }

  /** Permissions and questions that wait, the oldest first. */
  async pending(): Promise<readonly Asked[]> {
    const open = new Map<string, Asked>();
    await using events = this.#client.watchEvents(this.id);
    for await (const item of events) {
      if (item.type === 'synced') break;
      if (item.type !== 'event') continue;
      const { event } = item;
      if (event.kind === 'permission.requested' || event.kind === 'question.asked') open.set(event.request, event);
      else if (event.kind === 'permission.resolved' || event.kind === 'question.resolved') open.delete(event.request);
    }
    return [...open.values()];
  }

  /** Allows what `request` asks for; `option` is the id of one of its options. */
  approve(
    request: string,
    options: { readonly option?: string | undefined; readonly input?: unknown } = {},
  ): Promise<Decided> {
    const { option, input } = options;
    return this.#decide(request, {
      do: 'permission',
      request,
      behavior: 'allow',
      ...(option !== undefined && { option }),
      ...(input !== undefined && { input }),
    });
  }

  deny(
    request: string,
    options: {
      readonly message?: string | undefined;
      readonly option?: string | undefined;
      readonly interrupt?: boolean;
    } = {},
  ): Promise<Decided> {
    const { message, option, interrupt } = options;
    return this.#decide(request, {
      do: 'permission',
      request,
      behavior: 'deny',
      ...(message !== undefined && { message }),
      ...(option !== undefined && { option }),
      ...(interrupt !== undefined && { interrupt }),
    });
  }

  /** Answers a question, by the id of each question; without answers it is declined. */
  answer(request: string, answers?: Readonly<Record<string, unknown>>): Promise<Decided> {
    return this.#decide(request, { do: 'answer', request, ...(answers && { answers }) });
  }

  /** Waits for the event that says what became of it. */
  async #decide(request: string, command: Command): Promise<Decided> {
    const id = this.#newId();
    const { offset, isRepeated } = await this.command(command, id);
    await using records = this.#client.watchRecords(this.id, isRepeated ? {} : { from: offset });
    let place = isRepeated ? -1 : offset;
    let before: Resolved | null = null;
    let isTaken = false;
    for await (const item of records) {
      if (item.type !== 'record') continue;
      const { record } = item;
      if (record.type === 'command' && record.id === id) place = item.offset;
      if (record.type !== 'batch') continue;
      isTaken ||= record.inputs.some((input) => 'command' in input && input.command === place);
      const resolved = record.events.find((event): event is Resolved => isResolved(event) && event.request === request);
      const refused = record.events.find((event) => event.kind === 'command.refused' && event.command === id);
      if (refused) return { isOurs: false, outcome: resolved ?? before, reason: (refused as Refused).message };
      if (isTaken && resolved) return { isOurs: true, outcome: resolved, reason: null };
      before = resolved ?? before;
    }
    throw new SpoolError('SESSION_EXITED', { session: this.info.name });
  }

  #newId(): string {
    return this.#client.newId();
  }
}

const isResolved = (event: AgentEvent): event is Resolved =>
  event.kind === 'permission.resolved' || event.kind === 'question.resolved';
