/**
 * Computes the status of an agent from its events so far. Keeps EVT-7: a session is blocked exactly while a permission or a
 * question is open. Keeps REQ-6: the status lists every open request. Keeps STATE-70: a state starts at the time of its event.
 */
import type { OpenRequest, Question, RunUsage, WireStatus } from '@spool/protocol';
import { type AgentEvent, askedQuestion, permissionQuestion, REQUESTS_OPEN_MAX } from '@spool/protocol/agent';

const TEXT_CHARACTERS_MAX = 300;
/** The limit of a label or an id in the list of open requests; the request itself has the whole text. */
const LABEL_CHARACTERS_MAX = 300;
const ID_CHARACTERS_MAX = 1000;
const OPTIONS_MAX = 50;

type OpeningEvent = Extract<AgentEvent, { readonly kind: 'permission.requested' | 'question.asked' }>;

/** A pending request. If its record is not written to the log yet, `offset` is null. */
interface WaitingRequest {
  readonly request: Omit<OpenRequest, 'offset'>;
  readonly question: Question;
  readonly offset: number | null;
  /** The time of the request; absent in the checkpoint of an older version. */
  readonly at?: number;
}

/** The state as plain JSON, for a checkpoint. */
export interface AgentStatusState {
  /** Open permissions and questions, the oldest first. */
  readonly asks: readonly WaitingRequest[];
  readonly tools: readonly (readonly [tool: string, title: string])[];
  /** Prompts that a client has sent and no event has mentioned yet. */
  readonly sent: readonly string[];
  readonly queued: number;
  readonly isTurn: boolean;
  readonly isEnded: boolean;
  readonly thought: string | null;
  /** Absent in a checkpoint of an older version. */
  readonly said?: string | null;
  /** The time of the last start or end of a turn. */
  readonly turnAt?: number | null;
  readonly usage?: RunUsage;
  /** Whether the agent reports the cost of the whole session, so that the cost of a turn is part of it. */
  readonly isWholeCost?: boolean;
  readonly detail: string | null;
  readonly outcome: string | null;
  /** The problem with the agent's input, in words. */
  readonly input?: string | null;
}

export class AgentStatus {
  readonly #asks: Map<string, WaitingRequest>;
  readonly #tools: Map<string, string>;
  readonly #sent: Set<string>;
  #queued: number;
  #isTurn: boolean;
  #isEnded: boolean;
  #thought: string | null;
  #said: string | null;
  #turnAt: number | null;
  #usage: RunUsage;
  #isWholeCost: boolean;
  #detail: string | null;
  #outcome: string | null;
  #input: string | null;

  constructor(from?: AgentStatusState) {
    this.#asks = new Map(from?.asks.map((ask) => [ask.request.request, ask]));
    this.#tools = new Map(from?.tools);
    this.#sent = new Set(from?.sent);
    this.#queued = from?.queued ?? 0;
    this.#isTurn = from?.isTurn ?? false;
    this.#isEnded = from?.isEnded ?? false;
    this.#thought = from?.thought ?? null;
    this.#said = from?.said ?? null;
    this.#turnAt = from?.turnAt ?? null;
    this.#usage = from?.usage ?? {};
    this.#isWholeCost = from?.isWholeCost ?? false;
    this.#detail = from?.detail ?? null;
    this.#outcome = from?.outcome ?? null;
    this.#input = from?.input ?? null;
  }

  get state(): AgentStatusState {
    return {
      asks: [...this.#asks.values()],
      tools: [...this.#tools],
      sent: [...this.#sent],
      queued: this.#queued,
      isTurn: this.#isTurn,
      isEnded: this.#isEnded,
      thought: this.#thought,
      said: this.#said,
      turnAt: this.#turnAt,
      usage: this.#usage,
      isWholeCost: this.#isWholeCost,
      detail: this.#detail,
      outcome: this.#outcome,
      input: this.#input,
    };
  }

  /** Notes a prompt that is in the log: the agent is not idle until that turn has ended. */
  promptSent(id: string): void {
    this.#sent.add(id);
  }

  take(event: AgentEvent): void {
    switch (event.kind) {
      case 'prompt':
        if (event.clientId !== undefined) this.#sent.delete(event.clientId);
        break;
      case 'queue':
        this.#queued = event.prompts.length;
        break;
      case 'command.refused':
        this.#sent.delete(event.clientId ?? event.command);
        break;
      case 'turn.started':
        this.#sent.clear();
        this.#isTurn = true;
        this.#turnAt = event.at;
        this.#outcome = null;
        this.#detail = null;
        break;
      case 'turn.ended':
        this.#isTurn = false;
        this.#thought = null;
        this.#tools.clear();
        this.#outcome = event.outcome;
        this.#turnAt = event.at;
        if (!this.#isWholeCost) this.#costs((this.#usage.costUsd ?? 0) + (event.costUsd ?? 0));
        break;
      case 'usage':
        if (event.context !== undefined) this.#usage = { ...this.#usage, context: event.context };
        if (event.scope !== 'session' || event.costUsd === undefined) break;
        this.#isWholeCost = true;
        this.#costs(event.costUsd);
        break;
      case 'permission.requested':
      case 'question.asked':
        this.#asks.set(event.request, waitingOf(event));
        break;
      case 'permission.resolved':
      case 'question.resolved':
        this.#asks.delete(event.request);
        break;
      case 'tool.started':
        this.#tools.set(event.tool, event.title ?? event.name ?? 'a tool');
        break;
      case 'tool.input':
        if (event.title !== undefined && this.#tools.has(event.tool)) this.#tools.set(event.tool, event.title);
        break;
      case 'tool.ended':
        this.#tools.delete(event.tool);
        break;
      case 'message.done':
        this.#said = short(event.text) || this.#said;
        break;
      case 'thinking.done':
        this.#thought = lastLine(event.text);
        break;
      case 'status':
        this.#detail = event.detail ?? null;
        break;
      case 'session.ended':
        this.#isEnded = true;
        break;
      case 'notice':
        if (event.code === 'input-open') this.#input = null;
        else if (event.code === 'input-stuck') this.#input = `the agent does not read its input${sinceOf(event.at)}`;
        else if (event.code === 'input-closed') this.#input = `the agent has closed its input${sinceOf(event.at)}`;
        break;
    }
  }

  /** Sets the offset in the events log for the requests of the record that was just written. */
  appended(offset: number): void {
    for (const [key, ask] of this.#asks) if (ask.offset === null) this.#asks.set(key, { ...ask, offset });
  }

  /** Returns the status. Requests without a record will be in the one at `nextOffset`. */
  at(nextOffset: number): WireStatus {
    const status = this.#at(nextOffset);
    if (this.#input === null || this.#isEnded) return status;
    // The agent handles no input, so it does not wait for a prompt.
    const trouble = status.state === 'idle' ? { kind: 'error' } : {};
    return { ...status, ...trouble, why: `${status.why}; ${this.#input}` };
  }

  #costs(costUsd: number): void {
    if (costUsd > 0) this.#usage = { ...this.#usage, costUsd };
  }

  #at(nextOffset: number): WireStatus {
    const [ask] = this.#asks.values();
    const activity = short([...this.#tools.values()].at(-1) ?? '') || null;
    const told = {
      activity,
      thought: this.#thought,
      ...(this.#said !== null && { said: this.#said }),
      ...(Object.keys(this.#usage).length > 0 && { usage: this.#usage }),
    };
    const rest = { ...told, ...(this.#turnAt !== null && { since: this.#turnAt }) };
    if (this.#isEnded) return { state: 'idle', kind: 'done', why: 'the agent has ended', ...rest };
    if (ask) {
      // The list may have one request too many: a record can end between the request and the event of its denial.
      const requests = [...this.#asks.values()].slice(0, REQUESTS_OPEN_MAX).map(({ request, offset }) => ({
        ...request,
        offset: offset ?? nextOffset,
      }));
      return { ...blockedBy(ask), ...told, ...(ask.at !== undefined && { since: ask.at }), requests };
    }
    if (this.#isTurn)
      return { state: 'working', kind: null, why: `a turn is running${detailOf(this.#detail)}`, ...rest };
    if (this.#sent.size > 0 || this.#queued > 0)
      return { state: 'working', kind: null, why: 'a prompt waits for the agent', ...told };
    if (this.#outcome === 'failed') return { state: 'idle', kind: 'error', why: 'the last turn failed', ...rest };
    const why = this.#outcome === null ? 'the agent waits for a prompt' : `the last turn is ${this.#outcome}`;
    return { state: 'idle', kind: 'prompt', why, ...rest };
  }
}

function blockedBy({ request, question }: WaitingRequest): Pick<WireStatus, 'state' | 'kind' | 'why' | 'question'> {
  const why = request.type === 'question' ? 'the agent asks a question' : 'the agent asks for permission';
  return { state: 'blocked', kind: request.type, why, question };
}

function waitingOf(event: OpeningEvent): WaitingRequest {
  const { request, digest = '' } = event;
  if (event.kind === 'question.asked') {
    const { questions, schema, input, name = null, isCut } = event;
    const bytes = JSON.stringify([questions, schema, input]).length;
    const about = {
      request,
      type: 'question' as const,
      tool: name,
      digest,
      bytes,
      options: [],
      ...(isCut && { isCut }),
    };
    return { request: about, question: askedQuestion(questions), offset: null, at: event.at };
  }
  const { name = null, bytes = 0, isCut } = event;
  const options = event.options.slice(0, OPTIONS_MAX).map(({ id, label, kind }) => ({
    id: id.slice(0, ID_CHARACTERS_MAX),
    label: label.slice(0, LABEL_CHARACTERS_MAX),
    kind,
  }));
  return {
    request: {
      request,
      type: 'permission',
      tool: name?.slice(0, ID_CHARACTERS_MAX) ?? null,
      digest,
      bytes,
      options,
      ...(isCut && { isCut }),
    },
    question: permissionQuestion(event),
    offset: null,
    at: event.at,
  };
}

const sinceOf = (at: number): string => ` since ${new Date(at).toISOString().slice(0, 19)}Z`;

const detailOf = (detail: string | null): string => (detail === null ? '' : `: ${short(detail)}`);

function lastLine(text: string): string {
  return short(text.trim().split('\n').at(-1) ?? '');
}

function short(text: string): string {
  // The limit comes first, because a message may have megabytes.
  const line = text
    .slice(0, 10 * TEXT_CHARACTERS_MAX)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > TEXT_CHARACTERS_MAX ? `${line.slice(0, TEXT_CHARACTERS_MAX)}…` : line;
}
