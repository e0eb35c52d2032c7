/**
 * An agent without a terminal: its events as an async iterator, and the commands of a client. It is a handle, not an owner:
 * dropping it does not end the agent, and several may be open at once. `approve`, `deny` and `answer` resolve with the outcome:
 * the first answer wins, and the others get the name of the first client.
 */
import { type SessionInfo, SpoolError } from '@spool/protocol';
import type { AgentEvent, Command, Content } from '@spool/protocol/agent';
import { lastMessage } from './last-message.ts';
import type { Client } from '../client.ts';
import type { CommandReceipt } from '../options.ts';
import { contentOf } from './launch.ts';
import { readRequest, reportedStatus } from './read-request.ts';

type ResolutionEvent = Extract<AgentEvent, { readonly kind: 'permission.resolved' | 'question.resolved' }>;
type RefusalEvent = Extract<AgentEvent, { readonly kind: 'command.refused' }>;

/** A whole permission or question. */
export type RequestEvent = Extract<AgentEvent, { readonly kind: 'permission.requested' | 'question.asked' }>;

/**
 * The request that an answer is for, and the digest of the request that its author was shown. The event of a request has this
 * form.
 */
export interface RequestRef {
  readonly request: string;
  readonly digest?: string | undefined;
}

export interface Decided {
  /** Whether this answer decided the request. */
  readonly isOurs: boolean;
  /** The decision; null if there was no such request. */
  readonly outcome: ResolutionEvent | null;
  /** The reason why the answer was not executed. */
  readonly reason: string | null;
}

export class AgentHandle implements AsyncIterable<AgentEvent> {
  readonly id: string;
  /** The session's info at the creation of the handle. */
  readonly info: SessionInfo;
  readonly #client: Client;

  constructor(client: Client, info: SessionInfo) {
    this.#client = client;
    this.id = info.id;
    this.info = info;
  }

  /** Yields its events, from the first one in the log to the end. */
  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, undefined> {
    await using events = this.#client.watchEvents(this.id);
    for await (const item of events) if (item.type === 'event') yield item.event;
    return undefined;
  }

  /** Submits a prompt: now if the agent waits for one, otherwise in its turn. */
  prompt(
    prompt: string | readonly Content[],
    options: { readonly id?: string | undefined; readonly when?: 'now' | 'next' | 'queue' | undefined } = {},
  ): Promise<CommandReceipt> {
    const id = options.id ?? this.#newId();
    const { when } = options;
    const command: Command = { do: 'prompt', clientId: id, content: contentOf(prompt), ...(when && { when }) };
    return this.command(command, id);
  }

  /** Returns the agent's last complete message; null if there is none. `from`: only messages after this offset of its events. */
  lastMessage(options: { readonly from?: number | undefined } = {}): Promise<string | null> {
    return lastMessage(this.#client, this.info, options.from);
  }

  interrupt(options: { readonly alsoQueued?: boolean } = {}): Promise<CommandReceipt> {
    return this.command({ do: 'interrupt', ...options });
  }

  /** Ends the agent's input: the agent finishes its work and exits. */
  close(): Promise<CommandReceipt> {
    return this.command({ do: 'close' });
  }

  command(command: Command, id = this.#newId()): Promise<CommandReceipt> {
    return this.#client.command(this.id, command, { id });
  }

  /** Returns the pending requests, the oldest first. The status names them, and a record of the log contains each of them whole. */
  async requests(): Promise<readonly RequestEvent[]> {
    const status = await reportedStatus(this.#client, this.id);
    const found: RequestEvent[] = [];
    for (const open of status.requests ?? []) {
      const event = await readRequest(this.#client, this.id, open);
      if (event) found.push(event);
    }
    return found;
  }

  /** Returns the pending request with this id; null if there is none. */
  async request(request: string): Promise<RequestEvent | null> {
    const status = await reportedStatus(this.#client, this.id);
    const open = status.requests?.find((each) => each.request === request);
    return open ? await readRequest(this.#client, this.id, open) : null;
  }

  /** Allows the shown request; `option` is the id of one of its options. `input` replaces the input. */
  approve(
    { request, digest }: RequestRef,
    options: { readonly option?: string | undefined; readonly input?: unknown } = {},
  ): Promise<Decided> {
    const { option, input } = options;
    return this.#decide(request, {
      do: 'permission',
      request,
      behavior: 'allow',
      ...(digest !== undefined && { digest }),
      ...(option !== undefined && { option }),
      ...(input !== undefined && { input }),
    });
  }

  deny(
    { request, digest }: RequestRef,
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
      ...(digest !== undefined && { digest }),
      ...(message !== undefined && { message }),
      ...(option !== undefined && { option }),
      ...(interrupt !== undefined && { interrupt }),
    });
  }

  /** Answers a question, by the id of each of its parts; without answers it is declined. */
  answer({ request, digest }: RequestRef, answers?: Readonly<Record<string, unknown>>): Promise<Decided> {
    return this.#decide(request, {
      do: 'answer',
      request,
      ...(digest !== undefined && { digest }),
      ...(answers && { answers }),
    });
  }

  /** Waits for the event with the outcome. */
  async #decide(request: string, command: Command): Promise<Decided> {
    const id = this.#newId();
    const { offset, isRepeated } = await this.command(command, id);
    await using records = this.#client.watchRecords(this.id, isRepeated ? {} : { from: offset });
    let place = isRepeated ? -1 : offset;
    let before: ResolutionEvent | null = null;
    let isTaken = false;
    for await (const item of records) {
      if (item.type !== 'record') continue;
      const { record } = item;
      if (record.type === 'command' && record.id === id) place = item.offset;
      if (record.type !== 'batch') continue;
      isTaken ||= record.inputs.some((input) => 'command' in input && input.command === place);
      const resolved = record.events.find(
        (event): event is ResolutionEvent => isResolved(event) && event.request === request,
      );
      const refused = record.events.find((event) => event.kind === 'command.refused' && event.command === id);
      if (refused) return { isOurs: false, outcome: resolved ?? before, reason: (refused as RefusalEvent).message };
      if (isTaken && resolved) return { isOurs: true, outcome: resolved, reason: null };
      before = resolved ?? before;
    }
    throw new SpoolError('SESSION_EXITED', { session: this.info.name });
  }

  #newId(): string {
    return this.#client.newId();
  }
}

const isResolved = (event: AgentEvent): event is ResolutionEvent =>
  event.kind === 'permission.resolved' || event.kind === 'question.resolved';
