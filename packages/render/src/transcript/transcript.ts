/**
 * Builds a transcript from the events of an agent: the result depends only on the events so far, not on the pieces in which texts
 * arrived. It also has the open items: the queue, the pending permissions, the running turn. Its memory is bounded. Keeps SHOW-2,
 * SHOW-3.
 */
import {
  type AgentEvent,
  type Content,
  LastWords,
  type PlanEntry,
  requestSubject,
  type Tokens,
} from '@spool/protocol/agent';
import { longDuration } from '@spool/protocol/duration';
import { say, visibleTitle, type VisibleText } from '@spool/protocol/visible-text';
import type {
  AskEntry,
  AskOutcome,
  AgentRequestEvent,
  EntryPlace,
  TranscriptEntry,
  MessageEntry,
  PromptImage,
  ToolEntry,
} from './entries.ts';
import { unwrapFault } from './fault-text.ts';
import { KeptText } from './kept-text.ts';

/** The number of entries that are kept; the log has the older ones. */
const ENTRIES_MAX = 4000;
/** The number of background tasks whose names are kept. */
const TASKS_MAX = 1000;
/** The number of quotas that are kept. */
const QUOTAS_MAX = 20;
/** The number of prompts whose senders are kept. */
const SENDERS_MAX = 1000;

/** The reason that a driver gives for a tool that was open at the end of its turn. */
const TURN_ENDED = 'turn-ended';

/** The limit of the line about a decision. */
const ABOUT_CHARACTERS_MAX = 300;
const NAME_CHARACTERS_MAX = 200;

export interface PendingPrompt {
  readonly clientId: string;
  readonly text: string;
}

/** Work in the background: a subagent or a command that the turn does not wait for. */
export interface BackgroundTask {
  readonly title: string;
  readonly state: AgentEventOf<'task'>['state'];
  readonly note: string | undefined;
  /** The event that reported it first. */
  readonly place: EntryPlace;
}

/** A share of the account's quota that is used. */
export interface UsedQuota {
  readonly name: string;
  readonly usedPercent: number;
  readonly resetsAt: number | undefined;
}

export interface Totals {
  readonly tokens: Tokens | undefined;
  readonly costUsd: number | undefined;
  readonly context: { readonly used: number; readonly size: number } | undefined;
}

type AgentEventOf<K extends AgentEvent['kind']> = Extract<AgentEvent, { readonly kind: K }>;

export class Transcript {
  readonly #entries: TranscriptEntry[] = [];
  readonly #messages = new Map<string, MessageEntry>();
  /** The texts of this turn, including finished ones: they may be withdrawn. */
  readonly #said = new Map<string, MessageEntry>();
  readonly #tools = new Map<string, ToolEntry & TranscriptEntry>();
  readonly #asks = new Map<string, AskEntry & TranscriptEntry>();
  #plan: (TranscriptEntry & { kind: 'plan' }) | null = null;
  /** The content of the last plan, as text. */
  #planned = '';
  readonly #tasks = new Map<string, BackgroundTask>();
  readonly #quotas = new Map<string, UsedQuota>();
  #agentLine = '';
  #turn: string | undefined;
  #turnPrompt = '';
  #queue: readonly PendingPrompt[] = [];
  #commands: readonly string[] = [];
  #totals: Totals = { tokens: undefined, costUsd: undefined, context: undefined };
  #detail: string | undefined;
  #revision = 0;
  #omitted = 0;
  #isEnded = false;
  readonly #lastWords = new LastWords();
  /** The fields of an entry that the present event begins. */
  #begun: { readonly revision: 0; readonly place: EntryPlace; readonly parentTool?: string | undefined } = {
    revision: 0,
    place: { seq: 0, at: 0, offset: undefined },
  };
  /** The clients that sent the last prompts, by the prompt's id. */
  readonly #senders = new Map<string, string>();
  model: string | undefined;
  mode: string | undefined;
  /** The start of the running turn, in milliseconds since 1970. */
  turnSince: number | undefined;

  get entries(): readonly TranscriptEntry[] {
    return this.#entries;
  }

  /** The number of older entries that were dropped. */
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

  /** The present action of the running turn, in the agent's words. */
  get detail(): string | undefined {
    return this.#detail;
  }

  /** The permissions and questions that wait, the oldest first. */
  get pending(): readonly AgentRequestEvent[] {
    return [...this.#asks.values()].map(({ ask }) => ask);
  }

  get queue(): readonly PendingPrompt[] {
    return this.#queue;
  }

  /** Slash commands of the agent. */
  get commands(): readonly string[] {
    return this.#commands;
  }

  get totals(): Totals {
    return this.#totals;
  }

  /** The work in the background, in the order in which it began. */
  get tasks(): readonly BackgroundTask[] {
    return [...this.#tasks.values()];
  }

  get quotas(): readonly UsedQuota[] {
    return [...this.#quotas.values()];
  }

  tool(id: string): ToolEntry | undefined {
    return this.#tools.get(id);
  }

  /** Notes what the beginning of the log contains about the agent, for a transcript of the log's end. */
  noteAgent({ model, mode, commands }: Pick<AgentEventOf<'session.updated'>, 'model' | 'mode' | 'commands'>): void {
    this.model ??= model;
    this.mode ??= mode;
    if (this.#commands.length === 0) this.#commands = commands ?? [];
    this.#revision++;
  }

  /** Notes the client that sent a prompt; the event of the prompt does not name it. */
  noteSender(clientId: string, who: string): void {
    if (this.#senders.size >= SENDERS_MAX) this.#senders.clear();
    this.#senders.set(clientId, who);
  }

  /** Returns the entry that the event began or changed. */
  take(event: AgentEvent): TranscriptEntry | null {
    const { seq, at, raw, agent } = event;
    this.#begun = { revision: 0, place: { seq, at, offset: raw?.offset }, parentTool: agent?.parentTool };
    const failure = this.#lastWords.take(event);
    const taken = this.#take(event);
    const entry = failure === null ? taken : this.#note('error', failure);
    this.#revision++;
    if (entry) entry.revision = this.#revision;
    return entry;
  }

  #take(event: AgentEvent): TranscriptEntry | null {
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
        return null; // the end of the turn has shown the reason
      default:
        return this.#notable(event);
    }
  }

  #session(event: AgentEventOf<'session.started' | 'session.updated'>): TranscriptEntry | null {
    this.model = event.model ?? this.model;
    this.mode = event.mode ?? this.mode;
    this.#commands = event.commands ?? this.#commands;
    if (event.kind === 'session.updated') return null;
    const { agentName, agentVersion, cwd } = event;
    const name = [agentName, agentVersion].filter((part) => part !== undefined).join(' ');
    const line = [name, this.model, cwd].filter((part) => part !== undefined && part !== '').join(' · ');
    if (line === '' || line === this.#agentLine) return null; // Claude repeats it in each turn
    this.#agentLine = line;
    return this.#add({ kind: 'agent', text: line, ...this.#begun });
  }

  #turnStarted(event: AgentEventOf<'turn.started'>): TranscriptEntry | null {
    this.#turn = event.turn ?? '';
    this.turnSince = event.at;
    this.#detail = undefined;
    this.#plan = null;
    this.#said.clear();
    this.#turnPrompt = event.prompt === undefined ? '' : contentText(event.prompt);
    if (this.#turnPrompt === '') return null;
    return this.#addPrompt(event.prompt!, event.clientIds?.[0], false);
  }

  #addPrompt(content: readonly Content[], clientId: string | undefined, isSteering: boolean): TranscriptEntry {
    return this.#add({
      kind: 'prompt',
      text: contentText(content),
      words: contentText(content.filter(({ type }) => type !== 'image')),
      images: imagesOf(content),
      who: clientId === undefined ? undefined : this.#senders.get(clientId),
      isSteering,
      ...this.#begun,
    });
  }

  #turnEnded(event: AgentEventOf<'turn.ended'>): TranscriptEntry {
    this.#turn = undefined;
    this.turnSince = undefined;
    this.#detail = undefined;
    const { outcome, usage, costUsd, durationMs } = event;
    const fault = event.error && { ...event.error, message: unwrapFault(event.error.message) };
    // Claude also reports its error as a message, and Codex as a fault.
    const last = this.#entries.at(-1);
    const isSaid = (last?.kind === 'message' || last?.kind === 'note') && last.text.toString() === fault?.message;
    const error = isSaid || outcome === 'interrupted' ? undefined : fault;
    return this.#add({ kind: 'turn-end', outcome, error, usage, costUsd, durationMs, ...this.#begun });
  }

  /** Adds a user's prompt, unless the turn has shown it. */
  #prompt({ state, content, synthetic, clientId }: AgentEventOf<'prompt'>): TranscriptEntry | null {
    if (content === undefined || synthetic === true || (state !== 'echo' && state !== 'started')) return null;
    const text = contentText(content);
    if (text === '' || text === this.#turnPrompt) return null;
    const isSteering = this.#turnPrompt !== '' && this.#turn !== undefined;
    if (this.#turnPrompt === '') this.#turnPrompt = text;
    return this.#addPrompt(content, clientId, isSteering);
  }

  #text(
    event: AgentEventOf<'message.delta' | 'message.done' | 'thinking.delta' | 'thinking.done'>,
    agent?: string,
  ): TranscriptEntry | null {
    const kind = event.kind.startsWith('message') ? 'message' : 'thinking';
    const isDone = event.kind.endsWith('done');
    const key = `${kind} ${event.message} ${event.part}`;
    const known = this.#messages.get(key);
    if (isDone) this.#messages.delete(key);
    if (!known && event.text === '') return null;
    const entry =
      known ??
      this.#add({
        kind,
        text: new KeptText(),
        isDone: false,
        isError: false,
        durationMs: undefined,
        agent,
        ...this.#begun,
      });
    if (!known && !isDone) this.#messages.set(key, entry);
    if (!known) this.#said.set(key, entry);
    if (isDone) entry.text = new KeptText(event.text);
    else entry.text.append(event.text);
    entry.isDone = isDone;
    const measured = event.kind === 'thinking.done' ? event.durationMs : undefined;
    entry.durationMs = measured ?? (known ? event.at - known.place.at : undefined);
    if (event.kind === 'message.done') entry.isError = event.isError === true;
    return entry;
  }

  /** Removes messages that a retry replaces. */
  #retracted(messages: readonly string[]): TranscriptEntry {
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
    event: AgentEventOf<'tool.started' | 'tool.input' | 'tool.output' | 'tool.progress' | 'tool.ended'>,
    agent?: string,
  ): TranscriptEntry {
    const entry = this.#tools.get(event.tool) ?? this.#newTool(event.tool, agent);
    switch (event.kind) {
      case 'tool.started':
      case 'tool.input': {
        const name = event.kind === 'tool.started' ? event.name : undefined;
        if (event.kind === 'tool.started') entry.toolKind = event.toolKind;
        entry.name = name ?? entry.name;
        const title = event.title === entry.name || event.title === '' ? undefined : event.title;
        const subject = subjectOf(event.input);
        entry.input = event.input ?? entry.input;
        entry.title = title ?? subject ?? entry.title;
        // A title such as "Preparing file…" is followed by one that names the tool's subject.
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
        entry.endedAt = event.at;
        entry.isKnown = true;
        entry.exitCode = event.exitCode;
        entry.reason = event.reason === TURN_ENDED ? 'the turn ended' : event.reason;
        if (event.output !== undefined) entry.output = new KeptText(contentText(event.output));
        break;
    }
    return entry;
  }

  #newTool(tool: string, agent?: string): ToolEntry & TranscriptEntry {
    const entry = this.#add({
      kind: 'tool',
      tool,
      input: undefined,
      endedAt: undefined,
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
      ...this.#begun,
    });
    this.#tools.set(tool, entry);
    return entry;
  }

  #changed({ tool, diff, phase }: AgentEventOf<'file.changed'>, agent?: string): TranscriptEntry | null {
    const entry = tool === undefined ? undefined : this.#tools.get(tool);
    if (entry) {
      // An applied change replaces the proposed one.
      entry.diffs = [...entry.diffs.filter(({ path }) => path !== diff.path), diff];
      return entry;
    }
    // Codex repeats all changes at the end of a turn; its tools have shown them.
    if (tool === undefined && this.#isShown(diff.path)) return null;
    return this.#add({ kind: 'change', diff, phase, agent, ...this.#begun });
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

  #asked(asked: AgentRequestEvent, agent?: string): TranscriptEntry {
    // Codex reports its changes before it asks for permission.
    const diffs = this.#tools.get(asked.tool ?? '')?.diffs ?? [];
    const hasDiffs = asked.kind === 'question.asked' || (asked.diffs ?? []).length > 0 || diffs.length === 0;
    const ask = hasDiffs ? asked : { ...asked, diffs };
    const entry = this.#add({ kind: 'ask', ask, outcome: null, isTold: false, agent, ...this.#begun });
    this.#asks.set(ask.request, entry);
    return entry;
  }

  #resolved(event: AgentEventOf<'permission.resolved' | 'question.resolved'>): TranscriptEntry | null {
    const entry = this.#asks.get(event.request);
    if (!entry) return null;
    this.#asks.delete(event.request);
    const message = event.kind === 'permission.resolved' ? event.message : answersText(event.answers);
    entry.outcome = {
      decision: event.decision,
      who: event.who,
      isPolicy: event.by === 'policy',
      message,
      about: aboutText(entry.ask),
      changedTo:
        event.kind === 'permission.resolved' && event.isInputChanged === true
          ? requestSubject({ input: event.input }, ABOUT_CHARACTERS_MAX)
          : undefined,
    } satisfies AskOutcome;
    const tool = this.#tools.get(entry.ask.tool ?? '');
    if (tool) {
      tool.permission = entry.outcome;
      tool.revision = this.#revision + 1;
      entry.isTold = true;
    }
    return entry;
  }

  #planUpdated({ entries, replace }: AgentEventOf<'plan.updated'>): TranscriptEntry | null {
    const all: readonly PlanEntry[] = replace || !this.#plan ? entries : mergedPlan(this.#plan.entries, entries);
    // Grok repeats it in each turn.
    const said = JSON.stringify(all.map(({ text, status }) => [text, status]));
    if (said === this.#planned) return null;
    this.#planned = said;
    const plan = this.#plan ?? this.#add({ kind: 'plan', entries: all, ...this.#begun });
    plan.entries = all;
    this.#plan = plan;
    return plan;
  }

  #usage({ scope, tokens, costUsd, context }: AgentEventOf<'usage'>): null {
    if (scope !== 'session') return null;
    const before = this.#totals;
    this.#totals = {
      tokens: tokens ?? before.tokens,
      costUsd: costUsd ?? before.costUsd,
      context: context ?? before.context,
    };
    return null;
  }

  #notable(event: AgentEvent): TranscriptEntry | null {
    switch (event.kind) {
      case 'session.reset':
        return this.#note('info', `the conversation was reset (${event.reason})`);
      case 'retry':
        return this.#note('warning', retryWords(event));
      case 'notice':
        return this.#note(event.level, event.text, event.level === 'info');
      case 'fault':
        return this.#note('error', unwrapFault(event.error.message));
      case 'quota':
        return this.#quota(event);
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

  #quota(event: AgentEventOf<'quota'>): TranscriptEntry | null {
    const { name = 'quota', usedPercent = 0, resetsAt } = event;
    if (this.#quotas.size >= QUOTAS_MAX && !this.#quotas.has(name)) this.#quotas.clear();
    this.#quotas.set(name, { name, usedPercent, resetsAt });
    return usedPercent < 90 ? null : this.#note('warning', quotaWords(event));
  }

  #task({ task, title, note, state }: AgentEventOf<'task'>): TranscriptEntry {
    if (this.#tasks.size >= TASKS_MAX && !this.#tasks.has(task)) this.#tasks.clear();
    const known = this.#tasks.get(task);
    const name = (state === 'started' ? title : undefined) ?? known?.title ?? title ?? task;
    this.#tasks.set(task, { title: name, state, note, place: known?.place ?? this.#begun.place });
    return this.#note('info', `task ${name}: ${note ?? state}`, state === 'progress');
  }

  #note(level: 'info' | 'warning' | 'error', text: string, isMinor = false): TranscriptEntry {
    return this.#add({ kind: 'note', level, text, isMinor, ...this.#begun });
  }

  #add<E extends TranscriptEntry>(entry: E): E {
    this.#entries.push(entry);
    if (this.#entries.length > ENTRIES_MAX + ENTRIES_MAX / 4)
      this.#omitted += this.#entries.splice(0, this.#entries.length - ENTRIES_MAX).length;
    return entry;
  }
}

function imagesOf(content: readonly Content[]): readonly PromptImage[] {
  return content.flatMap((part) => (part.type === 'image' ? [{ mime: part.mime, data: part.data }] : []));
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

/** Returns the tool and its input in one line; the agent's own title is not used. */
function aboutText(ask: AgentRequestEvent): VisibleText {
  if (ask.kind === 'question.asked') return visibleTitle(ask.questions[0]?.text ?? 'a question', ABOUT_CHARACTERS_MAX);
  const name = visibleTitle(ask.name ?? 'a tool', NAME_CHARACTERS_MAX);
  const subject = requestSubject(ask, ABOUT_CHARACTERS_MAX);
  return subject === '' ? name : say`${name} ${subject}`;
}

/** Returns the subject of a tool, from the fields that agents use for it. */
function subjectOf(input: unknown): string | undefined {
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

function retryWords({ attempt, max, delayMs, error }: AgentEventOf<'retry'>): string {
  const of = max === undefined ? '' : ` of ${max}`;
  const pause = delayMs === undefined ? '' : ` in ${longDuration(delayMs)}`;
  return `retry ${attempt}${of}${pause}: ${unwrapFault(error.message)}${error.httpStatus ? ` (HTTP ${error.httpStatus})` : ''}`;
}

function quotaWords({ name, usedPercent, resetsAt }: AgentEventOf<'quota'>): string {
  const until =
    resetsAt === undefined ? '' : `, resets ${new Date(resetsAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `${name ?? 'quota'}: ${Math.round(usedPercent ?? 0)}% used${until}`;
}
