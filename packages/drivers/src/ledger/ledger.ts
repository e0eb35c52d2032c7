/**
 * The book that every dialect keeps: it turns what an agent says into events that balance. Whatever starts also ends, once, and
 * what is open when a turn or the process ends is ended with the reason. It works on a copy of the state, which belongs to it.
 * Keeps DRV-2, DRV-3, DRV-4.
 */
import type {
  AgentBody,
  AgentRef,
  Content,
  DecidedBy,
  Decision,
  Fault,
  PermissionOption,
  Question,
  Tokens,
  ToolKind,
  ToolStatus,
  TurnOutcome,
} from '@spool/protocol/agent';
import { present } from '../json-value.ts';
import { grownOutput } from './grown-output.ts';
import type { LedgerState, OpenPart, OpenTool } from './state.ts';

/** Of one part of a message. What comes after it is in the output log. */
export const PART_CHARS_MAX = 2 * 1024 * 1024;
/** Of all parts that are open at once. */
const OPEN_CHARS_MAX = 4 * 1024 * 1024;
/** Of the output of a running tool, to find out what is new. */
const OUTPUT_CHARS_KEPT = 32 * 1024;
/** Of a text that an event repeats: the final text of a turn, the output of a tool. */
export const EVENT_TEXT_CHARS_MAX = 1024 * 1024;
/** Open at once. More than this is a flood: the oldest is ended first. */
const OPEN_MAX = 200;
const REMEMBERED_MAX = 200;

export interface PartPlace {
  readonly kind: 'message' | 'thinking';
  readonly message: string;
  readonly part: number;
  readonly agent?: AgentRef | undefined;
}

export interface PartEnd {
  readonly aborted?: boolean | undefined;
  readonly synthetic?: boolean | undefined;
  readonly isError?: boolean | undefined;
  readonly durationMs?: number | undefined;
}

export interface ToolStart {
  readonly name?: string | undefined;
  readonly toolKind: ToolKind;
  readonly title?: string | undefined;
  readonly input?: unknown;
  readonly paths?: readonly string[] | undefined;
  readonly agent?: AgentRef | undefined;
}

export interface ToolEnd {
  readonly status: ToolStatus;
  readonly output?: readonly Content[] | undefined;
  readonly exitCode?: number | undefined;
  readonly task?: string | undefined;
  readonly structured?: unknown;
  readonly truncated?: boolean | undefined;
  readonly reason?: string | undefined;
}

export interface TurnEnd {
  readonly outcome: TurnOutcome;
  readonly stopReason?: string | undefined;
  readonly text?: string | undefined;
  readonly error?: Fault | undefined;
  readonly usage?: Tokens | undefined;
  readonly costUsd?: number | undefined;
  readonly durationMs?: number | undefined;
}

export class Ledger {
  readonly events: AgentBody[] = [];
  readonly writes: string[] = [];
  /** The agent's input is to end: it cannot do what it was started for. */
  closes = false;
  readonly state: LedgerState;
  readonly at: number;

  constructor(state: LedgerState, at: number) {
    this.state = state;
    this.at = at;
  }

  emit(body: AgentBody, agent?: AgentRef): void {
    const turn = body.turn ?? this.state.turn?.id;
    this.events.push({ ...body, ...(turn === undefined ? {} : { turn }), ...(agent ? { agent } : {}) });
  }

  write(message: unknown): void {
    this.writes.push(JSON.stringify(message));
  }

  // Turns.

  startTurn(
    origin: 'user' | 'queue' | 'task' | 'agent',
    options: { clientIds?: readonly string[]; prompt?: readonly Content[] | undefined } = {},
  ): void {
    if (this.state.turn) this.endTurn({ outcome: 'interrupted', stopReason: 'superseded' });
    const clientIds = [...(options.clientIds ?? [])];
    this.state.turn = { id: `t${++this.state.turns}`, startedAt: this.at, clientIds, text: '' };
    this.emit({
      kind: 'turn.started',
      origin,
      ...(clientIds.length > 0 ? { clientIds } : {}),
      ...(options.prompt ? { prompt: options.prompt } : {}),
    });
  }

  /** For agents that begin to work without saying so. */
  ensureTurn(origin: 'user' | 'queue' | 'task' | 'agent' = 'agent'): void {
    if (!this.state.turn && !this.state.isEnded) this.startTurn(origin);
  }

  /** Ends the turn and what is open in it, except the tools for which `goesOn` is true. */
  endTurn(end: TurnEnd, goesOn: (tool: OpenTool, id: string) => boolean = () => false): void {
    const { turn } = this.state;
    if (!turn) return;
    const reason = end.outcome === 'completed' ? 'turn-ended' : end.outcome;
    this.#closeParts();
    for (const request of Object.keys(this.state.asks)) this.withdraw(request, reason);
    for (const [id, tool] of Object.entries(this.state.tools))
      if (!goesOn(tool, id)) this.endTool(id, { status: 'cancelled', reason });
    const queued = this.state.queue.length;
    const text = end.text ?? (turn.text === '' ? undefined : turn.text);
    this.emit({
      kind: 'turn.ended',
      durationMs: Math.max(0, this.at - turn.startedAt),
      ...present({ ...end, text: text?.slice(0, EVENT_TEXT_CHARS_MAX) }),
      ...(queued > 0 ? { moreQueued: queued } : {}),
    });
    for (const clientId of turn.clientIds) this.emit({ kind: 'prompt', state: 'completed', clientId });
    this.state.turn = null;
  }

  // Text.

  delta(place: PartPlace, text: string): void {
    const open = this.#openPart(place);
    if (!open || text === '' || open.isTruncated) return;
    let openChars = 0;
    for (const { text } of Object.values(this.state.parts)) openChars += text.length;
    const room = Math.max(0, Math.min(PART_CHARS_MAX - open.text.length, OPEN_CHARS_MAX - openChars));
    const kept = text.length > room ? text.slice(0, room) : text;
    open.isTruncated = kept.length < text.length;
    open.text += kept;
    if (kept === '') return;
    const { kind, message, part, agent } = open;
    if (kind === 'message') this.emit({ kind: 'message.delta', message, part, text: kept }, agent);
    else this.emit({ kind: 'thinking.delta', message, part, text: kept }, agent);
  }

  /** Ends a part. `text` is the agent's final text, if it has one: what the deltas did not carry follows as one more delta. */
  done(place: PartPlace, text?: string, end: PartEnd = {}): void {
    const open = this.#openPart(place);
    if (!open) return;
    if (text !== undefined && !open.isTruncated && text !== open.text) {
      if (text.startsWith(open.text)) this.delta(place, text.slice(open.text.length));
      else {
        open.isReplaced = true;
        open.isTruncated = text.length > PART_CHARS_MAX;
        open.text = text.slice(0, PART_CHARS_MAX);
      }
    }
    this.#close(open, end);
  }

  /** Ends whatever text is open: another kind of item has begun. */
  closeParts(agentId?: string): void {
    for (const part of Object.values(this.state.parts)) if (part.agent?.id === agentId) this.#close(part, {});
  }

  /** Withdraws the texts of messages: open parts are dropped, and the reader forgets what it was shown. */
  retract(messages: readonly string[]): void {
    if (messages.length === 0) return;
    for (const [key, part] of Object.entries(this.state.parts))
      if (messages.includes(part.message)) delete this.state.parts[key];
    this.emit({ kind: 'message.retracted', messages });
  }

  /** What was shown of a part that is open. */
  textOf(place: PartPlace): string {
    return this.state.parts[keyOf(place)]?.text ?? '';
  }

  /** Undefined for a part that is done. */
  #openPart(place: PartPlace): OpenPart | undefined {
    const key = keyOf(place);
    const known = this.state.parts[key];
    if (known) return known;
    if (this.state.doneParts.includes(key)) return undefined;
    this.#makeRoom(this.state.parts, (open) => this.#close(open, { aborted: true }));
    const { kind, message, part, agent } = place;
    return (this.state.parts[key] = { kind, message, part, text: '', isTruncated: false, ...(agent ? { agent } : {}) });
  }

  #close(open: OpenPart, end: PartEnd): void {
    delete this.state.parts[keyOf(open)];
    remember(this.state.doneParts, keyOf(open));
    const { kind, message, part, text, agent } = open;
    const { turn } = this.state;
    const truncated = {
      ...(open.isTruncated ? { truncated: true } : {}),
      ...(open.isReplaced ? { replaced: true } : {}),
    };
    if (kind === 'thinking') {
      const { aborted, durationMs } = end;
      this.emit(
        { kind: 'thinking.done', message, part, text, ...present({ aborted, durationMs }), ...truncated },
        agent,
      );
      return;
    }
    if (turn && !agent) turn.text = text;
    const { aborted, synthetic, isError } = end;
    this.emit(
      { kind: 'message.done', message, part, text, ...present({ aborted, synthetic, isError }), ...truncated },
      agent,
    );
  }

  #closeParts(): void {
    for (const part of Object.values(this.state.parts)) this.#close(part, { aborted: true });
  }

  // Tools.

  /** Starts a tool, or tells more of one that is open. */
  startTool(tool: string, start: ToolStart): void {
    const { name, title, input, paths, agent } = start;
    const known = this.state.tools[tool];
    if (known) {
      if (name !== undefined && known.name === '') known.name = name;
      this.emitOf(known, { kind: 'tool.input', tool, ...present({ input, title, paths }) });
      return;
    }
    if (this.state.endedTools.includes(tool)) return;
    this.#makeRoom(this.state.tools, (_, id) =>
      this.endTool(id, { status: 'cancelled', reason: 'too many open tools' }),
    );
    const open: OpenTool = { turn: this.state.turn?.id ?? null, name: name ?? '', output: '', outputChars: 0 };
    if (agent) open.agent = agent;
    this.state.tools[tool] = open;
    this.emitOf(open, {
      kind: 'tool.started',
      tool,
      toolKind: start.toolKind,
      ...present({ name, title, input, paths }),
    });
  }

  hasTool(tool: string): boolean {
    return tool in this.state.tools;
  }

  toolName(tool: string): string | undefined {
    return this.state.tools[tool]?.name;
  }

  hasEnded(tool: string): boolean {
    return this.state.endedTools.includes(tool);
  }

  /** Output as it grows. */
  appendOutput(tool: string, text: string): void {
    const open = this.state.tools[tool];
    if (!open || text === '') return;
    this.emitOf(open, { kind: 'tool.output', tool, mode: 'append', stream: 'combined', text });
    open.output = keptEnd(open.output + text);
    open.outputChars += text.length;
  }

  /** The whole output so far, or its last part. */
  setOutput(tool: string, whole: string): void {
    const open = this.state.tools[tool];
    if (!open || (whole.length === open.outputChars && whole.endsWith(open.output))) return;
    const grown = grownOutput(open.output, whole);
    if (!grown) return;
    this.emitOf(open, { kind: 'tool.output', tool, mode: grown.mode, stream: 'combined', text: grown.text });
    open.outputChars = grown.mode === 'replace' ? whole.length : open.outputChars + grown.text.length;
    open.output = keptEnd(whole);
  }

  endTool(tool: string, end: ToolEnd): void {
    const open = this.state.tools[tool];
    if (!open) return;
    for (const [request, ask] of Object.entries(this.state.asks))
      if (ask.tool === tool) this.withdraw(request, 'tool-ended', end.status === 'denied' ? 'deny' : undefined);
    delete this.state.tools[tool];
    remember(this.state.endedTools, tool);
    this.emitOf(open, { kind: 'tool.ended', tool, ...present(end) });
  }

  /** Emits an event of a tool with the turn and the agent that started it. */
  emitOf(open: OpenTool, body: AgentBody): void {
    const turn = open.turn ?? undefined;
    this.events.push({
      ...body,
      ...(turn === undefined ? {} : { turn }),
      ...(open.agent ? { agent: open.agent } : {}),
    });
  }

  // Questions to the user.

  askPermission(
    request: string,
    ask: {
      readonly tool?: string | undefined;
      readonly name?: string | undefined;
      readonly title?: string | undefined;
      readonly reason?: string | undefined;
      readonly input?: unknown;
      readonly diffs?: readonly import('@spool/protocol/agent').Diff[] | undefined;
      readonly options: readonly PermissionOption[];
      readonly humanOnly?: boolean | undefined;
      readonly agent?: AgentRef | undefined;
    },
  ): void {
    if (this.hasAsked(request)) return;
    const { agent, ...body } = ask;
    this.#makeRoom(this.state.asks, (_, id) => this.withdraw(id, 'too many open requests'));
    this.state.asks[request] = {
      type: 'permission',
      tool: ask.tool ?? null,
      options: [...ask.options],
      ...(agent ? { agent } : {}),
    };
    this.emit({ kind: 'permission.requested', request, ...present(body) }, agent);
  }

  askQuestion(
    request: string,
    ask: { readonly tool?: string | undefined; readonly questions: readonly Question[]; readonly schema?: unknown },
  ): void {
    if (this.hasAsked(request)) return;
    this.#makeRoom(this.state.asks, (_, id) => this.withdraw(id, 'too many open requests'));
    this.state.asks[request] = { type: 'question', tool: ask.tool ?? null, options: [] };
    this.emit({ kind: 'question.asked', request, ...present(ask) });
  }

  /** Whether this was asked already, and is open or resolved. */
  hasAsked(request: string): boolean {
    return request in this.state.asks || this.state.resolved.some((known) => known.request === request);
  }

  resolvePermission(
    request: string,
    decision: Decision,
    by: DecidedBy,
    more: { option?: string | undefined; who?: string | undefined; message?: string | undefined } = {},
  ): void {
    const ask = this.state.asks[request];
    if (!ask || ask.type !== 'permission') return;
    delete this.state.asks[request];
    this.#rememberResolved(request, more.who ?? by);
    const tool = ask.tool ?? undefined;
    this.emit({ kind: 'permission.resolved', request, decision, by, ...present({ tool, ...more }) }, ask.agent);
  }

  resolveQuestion(
    request: string,
    decision: 'answered' | 'declined' | 'cancelled',
    by: DecidedBy,
    more: { answers?: Readonly<Record<string, unknown>> | undefined; who?: string | undefined } = {},
  ): void {
    const ask = this.state.asks[request];
    if (!ask || ask.type !== 'question') return;
    delete this.state.asks[request];
    this.#rememberResolved(request, more.who ?? by);
    this.emit({ kind: 'question.resolved', request, decision, by, ...present(more) }, ask.agent);
  }

  /** The agent no longer asks. */
  withdraw(request: string, message: string, decision: Decision = 'cancelled'): void {
    if (this.state.asks[request]?.type === 'question') this.resolveQuestion(request, 'cancelled', 'agent');
    else this.resolvePermission(request, decision, 'agent', { message });
  }

  /** Somebody else has answered, and the agent does not say what: the request is resolved when the tool goes on. */
  answeredElsewhere(request: string): void {
    const ask = this.state.asks[request];
    if (ask?.type === 'permission' && ask.tool !== null && ask.tool in this.state.tools) ask.isAnswered = true;
    else this.withdraw(request, 'resolved elsewhere');
  }

  /** The tool runs, or has ended otherwise than by a refusal: what was asked for it was allowed. */
  toolGoesOn(tool: string, isDenied = false): void {
    for (const [request, ask] of Object.entries(this.state.asks))
      if (ask.tool === tool && ask.isAnswered) this.resolvePermission(request, isDenied ? 'deny' : 'allow', 'terminal');
  }

  #rememberResolved(request: string, by: string): void {
    this.state.resolved.push({ request, by });
    if (this.state.resolved.length > REMEMBERED_MAX) this.state.resolved.shift();
  }

  // The end.

  /** The process has ended: nothing stays open. `resumable`: the agent's own session, with which another process can go on. */
  end(
    exit: { readonly exitCode?: number | null | undefined; readonly signal?: string | null | undefined },
    resumable: string | null = null,
  ): void {
    if (this.state.isEnded) return;
    const { turn } = this.state;
    const how = exit.signal ? `was ended by ${exit.signal}` : `exited with code ${exit.exitCode ?? 'unknown'}`;
    const then = resumable === null ? '' : '; it can be resumed';
    const reason = turn === null ? undefined : `the agent ${how} in its turn ${turn.id.slice(1)}${then}`;
    this.closeAll(reason ?? `the agent ${how}`, 'exited');
    for (const { clientId } of this.state.queue.splice(0)) this.emit({ kind: 'prompt', state: 'cancelled', clientId });
    this.state.isEnded = true;
    this.state.isReady = false;
    const agentSession = resumable ?? undefined;
    const { exitCode, signal } = exit;
    this.emit({ kind: 'session.ended', ...present({ exitCode, signal, reason, agentSession }) });
  }

  /** Ends whatever is open, because its own end will not come. */
  closeAll(message: string, stopReason: string): void {
    const error = { code: stopReason, message };
    this.endTurn({ outcome: 'failed', stopReason, error });
    this.#closeParts();
    for (const request of Object.keys(this.state.asks)) this.withdraw(request, message);
    for (const id of Object.keys(this.state.tools)) this.endTool(id, { status: 'cancelled', reason: message });
  }

  /** Says what the agent does now, if that has changed. Called at the end of each step. */
  settle(detail?: string): void {
    const { isEnded, asks, turn, isReady } = this.state;
    const waiting = Object.values(asks).find(({ isAnswered }) => !isAnswered);
    let state: LedgerState['state'] = isReady ? 'idle' : 'starting';
    if (isEnded) state = 'ended';
    else if (waiting) state = 'waiting';
    else if (turn) state = 'working';
    const why = (state === 'waiting' ? waiting?.type : state === 'working' ? detail : undefined) ?? null;
    if (state === this.state.state && (why === this.state.detail || (state === 'working' && why === null))) return;
    this.state.state = state;
    this.state.detail = why;
    this.emit({ kind: 'status', state, ...(why === null ? {} : { detail: why }) });
  }

  #makeRoom<T>(open: Record<string, T>, end: (value: T, key: string) => void): void {
    const keys = Object.keys(open);
    if (keys.length < OPEN_MAX) return;
    const [oldest] = keys;
    end(open[oldest!]!, oldest!);
    delete open[oldest!];
  }
}

function keyOf({ kind, message, part }: { kind: string; message: string; part: number }): string {
  return `${kind} ${message} ${part}`;
}

function keptEnd(text: string): string {
  return text.length > OUTPUT_CHARS_KEPT ? text.slice(-OUTPUT_CHARS_KEPT) : text;
}

function remember(list: string[], item: string): void {
  list.push(item);
  if (list.length > REMEMBERED_MAX) list.shift();
}
