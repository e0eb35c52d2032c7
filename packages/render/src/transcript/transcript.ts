/**
 * The events of an agent as a transcript: a function of the events so far, whatever the pieces in which texts came. Knows what
 * is open: the queue, the permissions that wait, the running turn. What it keeps is bounded. Keeps SHOW-2, SHOW-3.
 */
import type { AgentEvent, Content, PlanEntry, Tokens } from '@spool/protocol/agent';
import type { AskEntry, AskOutcome, Asked, Entry, MessageEntry, ToolEntry } from './entries.ts';
import { faultText } from './fault-text.ts';
import { KeptText } from './kept-text.ts';

/** Older entries are forgotten; the log has them. */
const ENTRIES_MAX = 4000;
/** Names of background tasks that are remembered. */
const TASKS_MAX = 1000;

export interface Waiting {
  readonly clientId: string;
  readonly text: string;
}

export interface Totals {
  readonly tokens: Tokens | undefined;
  readonly costUsd: number | undefined;
  readonly context: { readonly used: number; readonly size: number } | undefined;
}

type Of<K extends AgentEvent['kind']> = Extract<AgentEvent, { readonly kind: K }>;

export class Transcript {
  readonly #entries: Entry[] = [];
  readonly #messages = new Map<string, MessageEntry>();
  /** The texts of this turn, also those that are whole: they may be withdrawn. */
  readonly #said = new Map<string, MessageEntry>();
  readonly #tools = new Map<string, ToolEntry & Entry>();
  readonly #asks = new Map<string, AskEntry & Entry>();
  #plan: (Entry & { kind: 'plan' }) | null = null;
  /** What the last plan said, as text. */
  #planned = '';
  readonly #taskTitles = new Map<string, string>();
  #agentLine = '';
  #turn: string | undefined;
  #turnPrompt = '';
  #queue: readonly Waiting[] = [];
  #commands: readonly string[] = [];
  #totals: Totals = { tokens: undefined, costUsd: undefined, context: undefined };
  #detail: string | undefined;
  #revision = 0;
  #omitted = 0;
  #isEnded = false;
  model: string | undefined;
  mode: string | undefined;
  /** When the running turn began, in milliseconds since 1970. */
  turnSince: number | undefined;

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** How many older entries are forgotten. */
  get omitted(): number {
    return this.#omitted;
  }

  get revision(): number {
    return this.#revision;
  }

  get isWorking(): boolean {
    return this.#turn !== undefined;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** What the running turn does, in the agent's word. */
  get detail(): string | undefined {
    return this.#detail;
  }

  /** Permissions and questions that wait, the oldest first. */
  get pending(): readonly Asked[] {
    return [...this.#asks.values()].map(({ ask }) => ask);
  }

  get queue(): readonly Waiting[] {
    return this.#queue;
  }

  /** Slash commands of the agent. */
  get commands(): readonly string[] {
    return this.#commands;
  }

  get totals(): Totals {
    return this.#totals;
  }

  tool(id: string): ToolEntry | undefined {
    return this.#tools.get(id);
  }

  /** Returns the entry that the event began or changed. */
  take(event: AgentEvent): Entry | null {
    const entry = this.#take(event);
    this.#revision++;
    if (entry) entry.revision = this.#revision;
    return entry;
  }

  #take(event: AgentEvent): Entry | null {
    const agent = event.agent?.name ?? event.agent?.id;
    switch (event.kind) {
      case 'session.started':
      case 'session.updated':
        return this.#session(event);
      case 'turn.started':
        return this.#turnStarted(event);
      case 'turn.ended':
        return this.#turnEnded(event);
      case 'prompt':
        return this.#prompt(event);
      case 'queue':
        this.#queue = event.prompts.map(({ clientId, content }) => ({ clientId, text: contentText(content) }));
        return null;
      case 'message.delta':
      case 'thinking.delta':
      case 'message.done':
      case 'thinking.done':
        return this.#text(event, agent);
      case 'message.retracted':
        return this.#retracted(event.messages);
      case 'tool.started':
      case 'tool.input':
      case 'tool.output':
      case 'tool.progress':
      case 'tool.ended':
        return this.#toolEvent(event, agent);
      case 'file.changed':
        return this.#changed(event, agent);
      case 'permission.requested':
      case 'question.asked':
        return this.#asked(event, agent);
      case 'permission.resolved':
      case 'question.resolved':
        return this.#resolved(event);
      case 'plan.updated':
        return this.#planUpdated(event);
      case 'usage':
        return this.#usage(event);
      case 'status':
        this.#detail = event.detail;
        return null;
      case 'session.ended':
        this.#isEnded = true;
        this.#queue = [];
        return null; // the end of the turn has said why
      default:
        return this.#notable(event);
    }
  }

  #session(event: Of<'session.started' | 'session.updated'>): Entry | null {
    this.model = event.model ?? this.model;
    this.mode = event.mode ?? this.mode;
    this.#commands = event.commands ?? this.#commands;
    if (event.kind === 'session.updated') return null;
    const { agentName, agentVersion, cwd } = event;
    const name = [agentName, agentVersion].filter((part) => part !== undefined).join(' ');
    const line = [name, this.model, cwd].filter((part) => part !== undefined && part !== '').join(' · ');
    if (line === '' || line === this.#agentLine) return null; // Claude says it again with each turn
    this.#agentLine = line;
    return this.#add({ kind: 'agent', text: line, revision: 0 });
  }

  #turnStarted(event: Of<'turn.started'>): Entry | null {
    this.#turn = event.turn ?? '';
    this.turnSince = event.at;
    this.#detail = undefined;
    this.#plan = null;
    this.#said.clear();
    this.#turnPrompt = event.prompt === undefined ? '' : contentText(event.prompt);
    return this.#turnPrompt === '' ? null : this.#add({ kind: 'prompt', text: this.#turnPrompt, revision: 0 });
  }

  #turnEnded(event: Of<'turn.ended'>): Entry {
    this.#turn = undefined;
    this.turnSince = undefined;
    this.#detail = undefined;
    const { outcome, usage, costUsd, durationMs } = event;
    const fault = event.error && { ...event.error, message: faultText(event.error.message) };
    // Claude says its error as a message too, and Codex as a fault.
    const last = this.#entries.at(-1);
    const isSaid = (last?.kind === 'message' || last?.kind === 'note') && last.text.toString() === fault?.message;
    const error = isSaid || outcome === 'interrupted' ? undefined : fault;
    return this.#add({ kind: 'turn-end', outcome, error, usage, costUsd, durationMs, revision: 0 });
  }

  /** What a user sent, unless the turn has shown it. */
  #prompt({ state, content, synthetic }: Of<'prompt'>): Entry | null {
    if (content === undefined || synthetic === true || (state !== 'echo' && state !== 'started')) return null;
    const text = contentText(content);
    if (text === '' || text === this.#turnPrompt) return null;
    if (this.#turnPrompt === '') this.#turnPrompt = text;
    return this.#add({ kind: 'prompt', text, revision: 0 });
  }

  #text(
    event: Of<'message.delta' | 'message.done' | 'thinking.delta' | 'thinking.done'>,
    agent?: string,
  ): Entry | null {
    const kind = event.kind.startsWith('message') ? 'message' : 'thinking';
    const isDone = event.kind.endsWith('done');
    const key = `${kind} ${event.message} ${event.part}`;
    const known = this.#messages.get(key);
    if (isDone) this.#messages.delete(key);
    if (!known && event.text === '') return null;
    const entry = known ?? this.#add({ kind, text: new KeptText(), isDone: false, isError: false, agent, revision: 0 });
    if (!known && !isDone) this.#messages.set(key, entry);
    if (!known) this.#said.set(key, entry);
    if (isDone) entry.text = new KeptText(event.text);
    else entry.text.append(event.text);
    entry.isDone = isDone;
    if (event.kind === 'message.done') entry.isError = event.isError === true;
    return entry;
  }

  /** A retry replaces these messages. */
  #retracted(messages: readonly string[]): Entry {
    const isMeant = (key: string): boolean => messages.some((message) => key.startsWith(`message ${message} `));
    for (const key of [...this.#messages.keys()].filter(isMeant)) this.#messages.delete(key);
    for (const [key, entry] of this.#said) {
      if (!isMeant(key)) continue;
      this.#said.delete(key);
      const at = this.#entries.lastIndexOf(entry);
      if (at !== -1) this.#entries.splice(at, 1);
    }
    return this.#note('info', 'an answer was withdrawn and is tried again');
  }

  #toolEvent(
    event: Of<'tool.started' | 'tool.input' | 'tool.output' | 'tool.progress' | 'tool.ended'>,
    agent?: string,
  ): Entry {
    const entry = this.#tools.get(event.tool) ?? this.#newTool(event.tool, agent);
    switch (event.kind) {
      case 'tool.started':
      case 'tool.input': {
        const name = event.kind === 'tool.started' ? event.name : undefined;
        if (event.kind === 'tool.started') entry.toolKind = event.toolKind;
        entry.name = name ?? entry.name;
        const title = event.title === entry.name || event.title === '' ? undefined : event.title;
        const subject = subjectOf(event.input);
        entry.title = title ?? subject ?? entry.title;
        // After a title such as "Preparing file…" comes one that says what the tool works on.
        entry.isKnown ||= subject !== undefined || (title !== undefined && !title.endsWith('…'));
        break;
      }
      case 'tool.output':
        if (event.mode === 'append') entry.output.append(event.text);
        else entry.output = new KeptText(event.text);
        entry.isKnown = true;
        break;
      case 'tool.progress':
        entry.isKnown = true;
        entry.note = event.note ?? entry.note;
        break;
      case 'tool.ended':
        this.#tools.delete(event.tool);
        entry.status = event.status;
        entry.isKnown = true;
        entry.exitCode = event.exitCode;
        entry.reason = event.reason;
        if (event.output !== undefined) entry.output = new KeptText(contentText(event.output));
        break;
    }
    return entry;
  }

  #newTool(tool: string, agent?: string): ToolEntry & Entry {
    const entry = this.#add({
      kind: 'tool',
      tool,
      name: '',
      toolKind: 'other',
      title: '',
      isKnown: false,
      output: new KeptText(),
      diffs: [],
      status: null,
      exitCode: undefined,
      reason: undefined,
      note: undefined,
      permission: null,
      agent,
      revision: 0,
    });
    this.#tools.set(tool, entry);
    return entry;
  }

  #changed({ tool, diff, phase }: Of<'file.changed'>, agent?: string): Entry | null {
    const entry = tool === undefined ? undefined : this.#tools.get(tool);
    if (entry) {
      // What is applied replaces what was proposed.
      entry.diffs = [...entry.diffs.filter(({ path }) => path !== diff.path), diff];
      return entry;
    }
    // Codex sums up a turn so; its tools have shown it.
    if (tool === undefined && this.#isShown(diff.path)) return null;
    return this.#add({ kind: 'change', diff, phase, agent, revision: 0 });
  }

  #isShown(path: string): boolean {
    const isSame = (shown: string): boolean => shown === path || shown.endsWith(`/${path}`);
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at]!;
      if (entry.kind === 'prompt' || entry.kind === 'turn-end') return false;
      if (entry.kind === 'tool' && entry.diffs.some((diff) => isSame(diff.path))) return true;
      if (entry.kind === 'change' && isSame(entry.diff.path)) return true;
    }
    return false;
  }

  #asked(asked: Asked, agent?: string): Entry {
    // Codex says what it wants to change before it asks for it.
    const diffs = this.#tools.get(asked.tool ?? '')?.diffs ?? [];
    const hasDiffs = asked.kind === 'question.asked' || (asked.diffs ?? []).length > 0 || diffs.length === 0;
    const ask = hasDiffs ? asked : { ...asked, diffs };
    const entry = this.#add({ kind: 'ask', ask, outcome: null, isTold: false, agent, revision: 0 });
    this.#asks.set(ask.request, entry);
    return entry;
  }

  #resolved(event: Of<'permission.resolved' | 'question.resolved'>): Entry | null {
    const entry = this.#asks.get(event.request);
    if (!entry) return null;
    this.#asks.delete(event.request);
    const message = event.kind === 'permission.resolved' ? event.message : answersText(event.answers);
    entry.outcome = {
      decision: event.decision,
      who: event.who,
      isPolicy: event.by === 'policy',
      message,
    } satisfies AskOutcome;
    const tool = this.#tools.get(entry.ask.tool ?? '');
    if (tool) {
      tool.permission = entry.outcome;
      tool.revision = this.#revision + 1;
      entry.isTold = true;
    }
    return entry;
  }

  #planUpdated({ entries, replace }: Of<'plan.updated'>): Entry | null {
    const all: readonly PlanEntry[] = replace || !this.#plan ? entries : mergedPlan(this.#plan.entries, entries);
    // Grok says it again with each turn.
    const said = JSON.stringify(all.map(({ text, status }) => [text, status]));
    if (said === this.#planned) return null;
    this.#planned = said;
    const plan = this.#plan ?? this.#add({ kind: 'plan', entries: all, revision: 0 });
    plan.entries = all;
    this.#plan = plan;
    return plan;
  }

  #usage({ scope, tokens, costUsd, context }: Of<'usage'>): null {
    if (scope !== 'session') return null;
    const before = this.#totals;
    this.#totals = {
      tokens: tokens ?? before.tokens,
      costUsd: costUsd ?? before.costUsd,
      context: context ?? before.context,
    };
    return null;
  }

  #notable(event: AgentEvent): Entry | null {
    switch (event.kind) {
      case 'session.reset':
        return this.#note('info', `the conversation was reset (${event.reason})`);
      case 'retry':
        return this.#note('warning', retryWords(event));
      case 'notice':
        return this.#note(event.level, event.text, event.level === 'info');
      case 'fault':
        return this.#note('error', faultText(event.error.message));
      case 'quota':
        return (event.usedPercent ?? 0) < 90 ? null : this.#note('warning', quotaWords(event));
      case 'task':
        return this.#task(event);
      case 'command.refused':
        return this.#note('warning', `not done (${event.do}): ${event.message}`);
      case 'hook':
        return this.#note('info', `hook ${event.name} ${event.phase}`, true);
      case 'raw':
        return this.#note('info', `unknown to this version: ${event.type}`, true);
      default:
        return null;
    }
  }

  #task({ task, title, note, state }: Of<'task'>): Entry {
    if (this.#taskTitles.size >= TASKS_MAX) this.#taskTitles.clear();
    if (title !== undefined && state === 'started') this.#taskTitles.set(task, title);
    const name = this.#taskTitles.get(task) ?? title ?? task;
    return this.#note('info', `task ${name}: ${note ?? state}`, state === 'progress');
  }

  #note(level: 'info' | 'warning' | 'error', text: string, isMinor = false): Entry {
    return this.#add({ kind: 'note', level, text, isMinor, revision: 0 });
  }

  #add<E extends Entry>(entry: E): E {
    this.#entries.push(entry);
    if (this.#entries.length > ENTRIES_MAX + ENTRIES_MAX / 4)
      this.#omitted += this.#entries.splice(0, this.#entries.length - ENTRIES_MAX).length;
    return entry;
  }
}

export function contentText(content: readonly Content[]): string {
  return content
    .map((part) => {
      if (part.type === 'text') return part.text;
      if (part.type === 'image') return `[image ${part.mime}]`;
      return part.type === 'resource' ? (part.text ?? `[${part.uri}]`) : `[${part.type}]`;
    })
    .join('\n');
}

/** What a tool is about, by the fields that agents use for it. */
export function subjectOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  for (const key of [
    'command',
    'file_path',
    'filePath',
    'target_file',
    'path',
    'url',
    'pattern',
    'query',
    'description',
  ]) {
    const value = (input as Record<string, unknown>)[key];
    if (typeof value === 'string' && value !== '') return value;
    if (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'string'))
      return value.join(' ');
  }
  return undefined;
}

function mergedPlan(before: readonly PlanEntry[], entries: readonly PlanEntry[]): readonly PlanEntry[] {
  const keyOf = ({ id, text }: PlanEntry): string => id ?? text;
  const merged = new Map(before.map((entry) => [keyOf(entry), entry]));
  for (const entry of entries) merged.set(keyOf(entry), entry);
  return [...merged.values()];
}

function answersText(answers: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (answers === undefined) return undefined;
  const texts = Object.values(answers)
    .flat()
    .filter((value) => typeof value === 'string');
  return texts.length === 0 ? undefined : texts.join(', ');
}

function retryWords({ attempt, max, delayMs, error }: Of<'retry'>): string {
  const of = max === undefined ? '' : ` of ${max}`;
  const pause = delayMs === undefined ? '' : ` in ${Math.max(1, Math.round(delayMs / 1000))}s`;
  return `retry ${attempt}${of}${pause}: ${faultText(error.message)}${error.httpStatus ? ` (HTTP ${error.httpStatus})` : ''}`;
}

function quotaWords({ name, usedPercent, resetsAt }: Of<'quota'>): string {
  const until =
    resetsAt === undefined ? '' : `, resets ${new Date(resetsAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `${name ?? 'quota'}: ${Math.round(usedPercent ?? 0)}% used${until}`;
}
