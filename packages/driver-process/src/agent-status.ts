/**
 * What an agent is doing, by its events: a function of the events so far. Keeps EVT-7: a session is blocked exactly while a
 * permission or a question is open, and then shows it in its own words.
 */
import type { WireStatus } from '@spool/protocol';
import type { AgentEvent } from '@spool/protocol/agent';

const TEXT_CHARACTERS_MAX = 300;
const LABELS_MAX = 20;

type Ask = Extract<AgentEvent, { readonly kind: 'permission.requested' | 'question.asked' }>;

/** Plain JSON, for a checkpoint. */
export interface StatusState {
  /** Open permissions and questions, the oldest first. */
  readonly asks: readonly Ask[];
  readonly tools: readonly (readonly [tool: string, title: string])[];
  /** Prompts that a client has sent and no event has mentioned yet. */
  readonly sent: readonly string[];
  readonly queued: number;
  readonly isTurn: boolean;
  readonly isEnded: boolean;
  readonly thought: string | null;
  readonly detail: string | null;
  readonly outcome: string | null;
}

export class AgentStatus {
  readonly #asks: Map<string, Ask>;
  readonly #tools: Map<string, string>;
  readonly #sent: Set<string>;
  #queued: number;
  #isTurn: boolean;
  #isEnded: boolean;
  #thought: string | null;
  #detail: string | null;
  #outcome: string | null;

  constructor(from?: StatusState) {
    this.#asks = new Map(from?.asks.map((ask) => [ask.request, ask]));
    this.#tools = new Map(from?.tools);
    this.#sent = new Set(from?.sent);
    this.#queued = from?.queued ?? 0;
    this.#isTurn = from?.isTurn ?? false;
    this.#isEnded = from?.isEnded ?? false;
    this.#thought = from?.thought ?? null;
    this.#detail = from?.detail ?? null;
    this.#outcome = from?.outcome ?? null;
  }

  get state(): StatusState {
    return {
      asks: [...this.#asks.values()],
      tools: [...this.#tools],
      sent: [...this.#sent],
      queued: this.#queued,
      isTurn: this.#isTurn,
      isEnded: this.#isEnded,
      thought: this.#thought,
      detail: this.#detail,
      outcome: this.#outcome,
    };
  }

  /** A prompt is in the log: whoever waits for the agent to be idle waits for its turn. */
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
        this.#outcome = null;
        this.#detail = null;
        break;
      case 'turn.ended':
        this.#isTurn = false;
        this.#thought = null;
        this.#tools.clear();
        this.#outcome = event.outcome;
        break;
      case 'permission.requested':
      case 'question.asked':
        this.#asks.set(event.request, event);
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
      case 'thinking.done':
        this.#thought = lastLine(event.text);
        break;
      case 'status':
        this.#detail = event.detail ?? null;
        break;
      case 'session.ended':
        this.#isEnded = true;
        break;
    }
  }

  get current(): WireStatus {
    const [ask] = this.#asks.values();
    const activity = short([...this.#tools.values()].at(-1) ?? '') || null;
    const rest = { activity, thought: this.#thought };
    if (this.#isEnded) return { state: 'idle', kind: 'done', why: 'the agent has ended', ...rest };
    if (ask) return { ...asked(ask), ...rest };
    if (this.#isTurn)
      return { state: 'working', kind: null, why: `a turn is running${detailOf(this.#detail)}`, ...rest };
    if (this.#sent.size > 0 || this.#queued > 0)
      return { state: 'working', kind: null, why: 'a prompt waits for the agent', ...rest };
    if (this.#outcome === 'failed') return { state: 'idle', kind: 'error', why: 'the last turn failed', ...rest };
    const why = this.#outcome === null ? 'the agent waits for a prompt' : `the last turn is ${this.#outcome}`;
    return { state: 'idle', kind: 'prompt', why, ...rest };
  }
}

function asked(ask: Ask): Pick<WireStatus, 'state' | 'kind' | 'why' | 'question'> {
  if (ask.kind === 'question.asked') {
    const [first] = ask.questions;
    const options = (first?.options ?? [])
      .slice(0, LABELS_MAX)
      .map(({ label }) => ({ key: null, label: short(label) }));
    const question = { text: short(first?.text ?? 'a question'), options };
    return { state: 'blocked', kind: 'question', why: 'the agent asks a question', question };
  }
  const subject = subjectOf(ask);
  const options = ask.options.slice(0, LABELS_MAX).map(({ label }) => ({ key: null, label: short(label) }));
  const text = short(ask.title ?? `Allow ${ask.name ?? 'this tool'}?`);
  const question = { text, ...(subject !== undefined && { subject }), options };
  return { state: 'blocked', kind: 'permission', why: 'the agent asks for permission', question };
}

/** The command or file that the permission is about. */
function subjectOf({ input }: Extract<Ask, { readonly kind: 'permission.requested' }>): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  for (const key of ['command', 'file_path', 'path', 'url', 'pattern']) {
    const value = (input as Record<string, unknown>)[key];
    if (typeof value === 'string' && value !== '') return short(value);
    if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return short(value.join(' '));
  }
  return undefined;
}

const detailOf = (detail: string | null): string => (detail === null ? '' : `: ${short(detail)}`);

function lastLine(text: string): string {
  return short(text.trim().split('\n').at(-1) ?? '');
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > TEXT_CHARACTERS_MAX ? `${line.slice(0, TEXT_CHARACTERS_MAX)}…` : line;
}
