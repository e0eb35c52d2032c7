/**
 * The ledger of every dialect: it turns the messages of an agent into events that balance. Everything that starts also ends, once;
 * when a turn or the process ends, everything open is ended with the reason. It works on a copy of the state. Keeps DRV-2, DRV-3,
 * DRV-4, REQ-3, REQ-4, REQ-7.
 */
import type {
  AgentBody,
  AgentRef,
  Content,
  DecidedBy,
  Decision,
  Diff,
  AgentFault,
  PermissionOption,
  AgentQuestion,
  Tokens,
  ToolKind,
  ToolStatus,
  TurnOutcome,
} from '@spool/protocol/agent';
import { AGENT_ID_CHARS_MAX, REQUESTS_OPEN_MAX } from '@spool/protocol/agent';
import { present } from '../json-value.ts';
import { grownOutput } from './grown-output.ts';
import { describeContent, keepDiff, keepInput, REQUEST_BYTES_MAX } from './request-content.ts';
import { digestOf, printOf, type RequestPrint } from './request-digest.ts';
import type { HeldAnswer, LedgerState, OpenAsk, OpenPart, OpenTool } from './state.ts';

/** The limit of one part of a message. The rest is in the output log. */
const PART_CHARS_MAX = 2 * 1024 * 1024;
/** The limit of all open parts together. */
const OPEN_CHARS_MAX = 4 * 1024 * 1024;
/** The part of a running tool's output that is kept, to find the new part of the next output. */
const OUTPUT_CHARS_KEPT = 32 * 1024;
/** The limit of a text that an event repeats: the final text of a turn, the output of a tool. */
const EVENT_TEXT_CHARS_MAX = 1024 * 1024;
/** The limit of open items of each kind. More means a flood: the oldest is ended first. */
const OPEN_MAX = 200;
const REMEMBERED_MAX = 200;
const ID_CHARS_SHOWN = 80;
/** The limit of an open tool's name, because an agent may put a whole command there. */
const NAME_CHARS_KEPT = 1000;
/** The limit of the agent's own words about a request. */
const WORDS_CHARS_MAX = 4000;
/** The limit of all waiting requests together, as JSON. */
export const REQUESTS_BYTES_MAX = 2 * 1024 * 1024;
/** The limit, as JSON, of an input that the outcome of a request repeats. */
const OUTCOME_BYTES_MAX = 4 * 1024;

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
  readonly error?: AgentFault | undefined;
  readonly usage?: Tokens | undefined;
  readonly costUsd?: number | undefined;
  readonly durationMs?: number | undefined;
}

export class Ledger {
  readonly events: AgentBody[] = [];
  readonly writes: string[] = [];
  /** The requests that are not shown to a person: the stepper denies them towards the agent. */
  readonly denials: { readonly request: string; readonly message: string }[] = [];
  /** Whether the agent's input must end, because the agent cannot do its task. */
  closes = false;
  /** Whether the line of this step was too long to be read whole. */
  isLineCut = false;
  readonly state: LedgerState;
  readonly at: number;

  constructor(state: LedgerState, at: number) {
    this.state = state;
    this.at = at;
  }

  emit(body: AgentBody, agent?: AgentRef): void {
    if (body.kind === 'file.changed' && body.phase === 'proposed' && body.tool !== undefined) {
      const tool = this.state.tools[body.tool];
      if (tool) keepDiff(this.state.tools, tool, body.diff);
    }
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

  /** Starts a turn if none runs, for agents that begin to work without a message. */
  ensureTurn(origin: 'user' | 'queue' | 'task' | 'agent' = 'agent'): void {
    if (!this.state.turn && !this.state.isEnded) this.startTurn(origin);
  }

  /** Ends the turn and everything open in it, except the tools for which `goesOn` is true. */
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

  /**
   * Ends a part. `text` is the agent's final text, if there is one: a part that is missing in the deltas follows as one more delta.
   */
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

  /** Ends every open text, because another kind of item has begun. */
  closeParts(agentId?: string): void {
    for (const part of Object.values(this.state.parts)) if (part.agent?.id === agentId) this.#close(part, {});
  }

  /** Withdraws the texts of messages: open parts are dropped, and the reader discards the shown text. */
  retract(messages: readonly string[]): void {
    if (messages.length === 0) return;
    for (const [key, part] of Object.entries(this.state.parts))
      if (messages.includes(part.message)) delete this.state.parts[key];
    this.emit({ kind: 'message.retracted', messages });
  }

  /** Returns the text of an open part as it was shown. */
  textOf(place: PartPlace): string {
    return this.state.parts[keyOf(place)]?.text ?? '';
  }

  /** Returns the part; undefined if it has ended. */
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

  /** Starts a tool, or adds to an open one. */
  startTool(tool: string, start: ToolStart): void {
    const { name, title, input, paths, agent } = start;
    const known = this.state.tools[tool];
    if (known) {
      if (name !== undefined && known.name === '') known.name = name.slice(0, NAME_CHARS_KEPT);
      keepInput(this.state.tools, known, input);
      this.emitOf(known, { kind: 'tool.input', tool, ...present({ input, title, paths }) });
      return;
    }
    if (this.state.endedTools.includes(tool)) return;
    this.#makeRoomForTool();
    const kept = (name ?? '').slice(0, NAME_CHARS_KEPT);
    const open: OpenTool = { turn: this.state.turn?.id ?? null, name: kept, output: '', outputChars: 0 };
    if (agent) open.agent = agent;
    this.state.tools[tool] = open;
    keepInput(this.state.tools, open, input);
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

  /** Appends new output. */
  appendOutput(tool: string, text: string): void {
    const open = this.state.tools[tool];
    if (!open || text === '') return;
    this.emitOf(open, { kind: 'tool.output', tool, mode: 'append', stream: 'combined', text });
    open.output = keptEnd(open.output + text);
    open.outputChars += text.length;
  }

  /** Sets the whole output so far, or its last part. */
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

  /** Registers a permission that the agent asks for. Returns false if the id is taken: then nothing new is asked. */
  askPermission(
    request: string,
    ask: {
      readonly tool?: string | undefined;
      readonly name?: string | undefined;
      readonly toolKind?: ToolKind | undefined;
      readonly title?: string | undefined;
      readonly reason?: string | undefined;
      readonly input?: unknown;
      readonly diffs?: readonly Diff[] | undefined;
      readonly options: readonly PermissionOption[];
      readonly humanOnly?: boolean | undefined;
      readonly agent?: AgentRef | undefined;
    },
  ): boolean {
    const { agent, tool, humanOnly } = ask;
    const { content, isCut } = describeContent(ask, tool === undefined ? undefined : this.state.tools[tool]);
    const print = printOf(content);
    if (!this.#takeId(request, print)) return false;
    const isTooLarge = isCut || this.isLineCut || print.bytes > REQUEST_BYTES_MAX;
    const digest = this.#register(request, print, {
      type: 'permission',
      tool: tool ?? null,
      name: ask.name ?? null,
      options: [...ask.options],
      ...(isTooLarge && { isCut: true as const }),
      ...(print.bytes <= OUTCOME_BYTES_MAX && ask.input !== undefined && { input: ask.input }),
      ...(agent ? { agent } : {}),
    });
    const { bytes } = print;
    const { options } = content;
    const title = ask.title?.slice(0, WORDS_CHARS_MAX);
    const reason = ask.reason?.slice(0, WORDS_CHARS_MAX);
    const { toolKind } = ask;
    const about = present({ tool, toolKind, title, reason, humanOnly, ...(isTooLarge && { isCut: true }) });
    const shown = present({ name: content.name, input: content.input, call: content.call, diffs: content.diffs });
    this.emit({ kind: 'permission.requested', request, ...shown, options, ...about, digest, bytes }, agent);
    return true;
  }

  /** Registers questions that the agent asks. Returns false if the id is taken: then nothing new is asked. */
  askQuestion(
    request: string,
    ask: {
      readonly tool?: string | undefined;
      readonly name?: string | undefined;
      readonly questions: readonly AgentQuestion[];
      readonly schema?: unknown;
      /** The members of the input that neither the questions nor the schema contain. */
      readonly input?: unknown;
    },
  ): boolean {
    const { tool, name, questions, schema, input } = ask;
    const print = printOf(input === undefined ? [questions, schema] : [questions, schema, input]);
    if (!this.#takeId(request, print)) return false;
    const isCut = (this.isLineCut || print.bytes > REQUEST_BYTES_MAX) && { isCut: true as const };
    const about = { type: 'question' as const, tool: tool ?? null, name: name ?? null, options: [] };
    const digest = this.#register(request, print, { ...about, ...isCut });
    const shown = present({ tool, name, questions, schema, input });
    this.emit({ kind: 'question.asked', request, ...shown, ...isCut, digest });
    return true;
  }

  /**
   * Returns whether this id can be taken. An id can be used once: an agent that repeats an open request is ignored, and one that
   * uses its id for something else, or again later, is denied. An id that no answer could contain is denied too.
   */
  #takeId(request: string, { hash }: RequestPrint): boolean {
    if (!isRequestId(request)) {
      this.refuseRequest(`a request with an id of ${request.length} characters`);
      this.denials.push({ request, message: `Denied by Spool: ${ID_RULE}.` });
      return false;
    }
    const open = this.state.asks[request];
    if (open?.hash === hash) return false;
    if (!open && !this.state.resolved.some((known) => known.request === request)) return true;
    const text = `The agent used the id of a request twice (${request.slice(0, ID_CHARS_SHOWN)}); the second one is denied.`;
    this.emit({ kind: 'notice', level: 'warning', code: 'request-id-reused', text });
    this.denials.push({ request, message: 'Denied by Spool: the id of this request was used before.' });
    return false;
  }

  #register(request: string, print: RequestPrint, ask: Omit<OpenAsk, 'digest' | 'hash' | 'bytes'>): string {
    const { asks } = this.state;
    const digest = digestOf(++this.state.requests, print);
    const waiting = Object.values(asks);
    const bytes = waiting.reduce((sum, each) => sum + each.bytes, print.bytes);
    asks[request] = { ...ask, digest, hash: print.hash, bytes: print.bytes };
    if (waiting.length >= REQUESTS_OPEN_MAX || bytes > REQUESTS_BYTES_MAX)
      this.denials.push({ request, message: 'Denied by Spool: too many requests wait for an answer.' });
    return digest;
  }

  /** Reports a request that is not shown to a person, because no answer could reach it or it cannot be shown. */
  refuseRequest(what: string): void {
    const text = `The agent sent ${what}; Spool has denied it.`;
    this.emit({ kind: 'notice', level: 'warning', code: 'request-refused', text });
  }

  /** Returns whether this was asked before, and is open or resolved. */
  hasAsked(request: string): boolean {
    return request in this.state.asks || this.isResolved(request);
  }

  /** Returns whether this was asked, and is no longer open. */
  isResolved(request: string): boolean {
    return this.state.resolved.some((known) => known.request === request);
  }

  resolvePermission(
    request: string,
    decision: Decision,
    by: DecidedBy,
    more: {
      option?: string | undefined;
      who?: string | undefined;
      message?: string | undefined;
      input?: unknown;
      isInputChanged?: boolean | undefined;
    } = {},
  ): void {
    const ask = this.state.asks[request];
    if (!ask || ask.type !== 'permission') return;
    delete this.state.asks[request];
    this.#rememberResolved(request, more.who ?? by);
    this.#refuseHeld(request, ask, by);
    const { input, digest } = ask;
    const about = present({ tool: ask.tool ?? undefined, name: ask.name ?? undefined, input, ...more, digest });
    this.emit({ kind: 'permission.resolved', request, decision, by, ...about }, ask.agent);
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
    this.#refuseHeld(request, ask, by);
    this.emit({ kind: 'question.resolved', request, decision, by, ...present(more) }, ask.agent);
  }

  /** Resolves a request that the agent has withdrawn. */
  withdraw(request: string, message: string, decision: Decision = 'cancelled'): void {
    if (this.state.asks[request]?.type === 'question') this.resolveQuestion(request, 'cancelled', 'agent');
    else this.resolvePermission(request, decision, 'agent', { message });
  }

  /**
   * Notes that another client has answered, although the agent does not report how: the request is resolved when the tool
   * continues.
   */
  answeredElsewhere(request: string): void {
    const ask = this.state.asks[request];
    if (ask?.type === 'permission' && ask.tool !== null && ask.tool in this.state.tools) ask.isAnswered = true;
    else if (!this.answerTaken(request)) this.withdraw(request, 'resolved elsewhere');
  }

  /** Notes that the request of a tool was answered, because the tool has ended. */
  toolAnswered(tool: string): void {
    for (const [request, ask] of Object.entries(this.state.asks))
      if (ask.tool === tool) this.answeredElsewhere(request);
  }

  /** Resolves the request of a tool as allowed: the tool runs, or has ended without a refusal. */
  toolGoesOn(tool: string, isDenied = false): void {
    for (const [request, ask] of Object.entries(this.state.asks))
      if (ask.tool === tool && ask.isAnswered) this.answered(request, isDenied ? 'deny' : 'allow');
  }

  /** Resolves a permission with the visible outcome: by the held answer if that has the same outcome, otherwise by the terminal. */
  answered(request: string, decision: 'allow' | 'deny'): void {
    const isHeld = this.state.asks[request]?.held?.decision === decision;
    if (!isHeld || !this.answerTaken(request)) this.resolvePermission(request, decision, 'terminal');
  }

  /** Keeps an answer until the agent has accepted it. */
  holdAnswer(request: string, answer: HeldAnswer): void {
    const ask = this.state.asks[request];
    if (ask) ask.held = answer;
  }

  /** Resolves a request with the held answer, which the agent has accepted. Returns false if there is none. */
  answerTaken(request: string): boolean {
    const ask = this.state.asks[request];
    if (!ask?.held || ask.held.isLate) return false;
    const { decision, by, more } = ask.held;
    delete ask.held;
    if (decision === 'allow' || decision === 'deny') this.resolvePermission(request, decision, by, more);
    else this.resolveQuestion(request, decision, by, present({ answers: more.answers, who: more.who }));
    return true;
  }

  /** Reports to the author of a held answer that another one was first. */
  #refuseHeld(request: string, { type, held }: OpenAsk, by: string): void {
    if (!held) return;
    const message = `this was answered already (${by})`;
    const about = { command: held.command, do: type === 'question' ? ('answer' as const) : ('permission' as const) };
    this.emit({ kind: 'command.refused', ...about, code: 'already-resolved', message, request });
  }

  #rememberResolved(request: string, by: string): void {
    this.state.resolved.push({ request, by });
    if (this.state.resolved.length > REMEMBERED_MAX) this.state.resolved.shift();
  }

  // The end.

  /** Ends everything, because the process has ended. `resumable` is the agent's own session, which another process can resume. */
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

  /** Ends everything open, because its own end will not come. */
  closeAll(message: string, stopReason: string): void {
    const error = { code: stopReason, message };
    this.endTurn({ outcome: 'failed', stopReason, error });
    this.#closeParts();
    for (const request of Object.keys(this.state.asks)) this.withdraw(request, message);
    for (const id of Object.keys(this.state.tools)) this.endTool(id, { status: 'cancelled', reason: message });
  }

  /** Reports the agent's activity, if it has changed. Called at the end of each step. */
  settle(detail?: string): void {
    const { isEnded, asks, turn, isReady } = this.state;
    const waiting = Object.values(asks).find(({ isAnswered, held }) => !isAnswered && !held);
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

  /** Ends a tool to make room; one with a waiting request comes last, because the agent would never get an answer. */
  #makeRoomForTool(): void {
    const waited = new Set(Object.values(this.state.asks).map(({ tool }) => tool));
    const free = Object.keys(this.state.tools).find((id) => !waited.has(id));
    this.#makeRoom(
      this.state.tools,
      (_, id) => this.endTool(id, { status: 'cancelled', reason: 'too many open tools' }),
      free,
    );
  }

  /** Ends the oldest entry, or the named one. */
  #makeRoom<T>(open: Record<string, T>, end: (value: T, key: string) => void, named?: string): void {
    const keys = Object.keys(open);
    if (keys.length < OPEN_MAX) return;
    const oldest = named ?? keys[0]!;
    end(open[oldest]!, oldest);
    delete open[oldest];
  }
}

/** Returns whether clients can name a request by this id. */
export function isRequestId(id: string): boolean {
  return id.length > 0 && id.length <= AGENT_ID_CHARS_MAX;
}

/** The rule for ids, as a denial explains it to the agent. */
export const ID_RULE = `the id of a request is a text of 1 to ${AGENT_ID_CHARS_MAX} characters`;

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
