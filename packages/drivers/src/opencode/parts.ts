/** Parts of messages: text, reasoning, tools, steps. The same parts come as events and as lines of `opencode run`. */
import type { Content, Diff, Tokens, ToolKind } from '@spool/protocol/agent';
import { type JsonObject, isObject, numberOf, objectOf, present, textOf } from '../json-value.ts';
import { todos } from './plan.ts';
import { agentOf, messageOf, type OpenCodeWork, partOf } from './state.ts';

const KINDS: Readonly<Record<string, ToolKind>> = {
  bash: 'execute',
  read: 'read',
  write: 'edit',
  edit: 'edit',
  multiedit: 'edit',
  patch: 'edit',
  apply_patch: 'edit',
  glob: 'search',
  grep: 'search',
  list: 'search',
  codesearch: 'search',
  webfetch: 'fetch',
  websearch: 'fetch',
  task: 'agent',
  todowrite: 'think',
  todoread: 'think',
};

const OUTPUT_CHARS_MAX = 64 * 1024;

/** Handles a part of a message. `isWhole`: the part comes once, complete. */
export function partUpdated(work: OpenCodeWork, part: JsonObject, isWhole = false): boolean {
  const { ledger } = work;
  const message = textOf(part.messageID) ?? '';
  switch (part.type) {
    case 'text':
      return text(work, 'message', part, isWhole);
    case 'reasoning':
      work.detail = 'thinking';
      return text(work, 'thinking', part, isWhole);
    case 'tool':
      return tool(work, part);
    case 'step-finish': {
      work.state.attempt = [];
      const id = textOf(part.id);
      if (id !== undefined && work.state.parts[id]) return true; // reported before, and now read once more
      if (id !== undefined) work.state.parts[id] = { part: 0, isDone: true, kind: 'message' };
      const costUsd = numberOf(part.cost);
      ledger.emit({ kind: 'usage', scope: 'message', tokens: tokensOf(part.tokens), ...present({ costUsd }) });
      return true;
    }
    case 'file':
      if (messageOf(work, message).isUser && work.state.options.isReadOnly)
        ledger.emit({ kind: 'prompt', state: 'echo', content: [fileContent(part)] });
      return true;
    case 'step-start':
    case 'patch':
    case 'snapshot':
    case 'agent':
    case 'subtask':
    case 'compaction':
      return true;
    case 'retry':
      return true; // Reported by `session.status`.
    default:
      return false;
  }
}

/** Returns whether a prompt that the agent repeats came from a client here. */
function isOwn({ state }: OpenCodeWork): boolean {
  if (state.unechoed === 0) return false;
  state.unechoed--;
  return true;
}

function text(work: OpenCodeWork, kind: 'message' | 'thinking', part: JsonObject, isWhole: boolean): boolean {
  const { ledger, state } = work;
  const message = textOf(part.messageID) ?? '';
  const id = textOf(part.id) ?? '';
  const whole = textOf(part.text) ?? '';
  if (messageOf(work, message).isUser) {
    const synthetic = part.synthetic === true ? { synthetic: true } : {};
    // A driver that writes knows its own prompts, which have started their turns.
    const isNew = !state.parts[id];
    const { isReadOnly, isWatching } = state.options;
    if (isNew && (isReadOnly || part.synthetic === true || (isWatching && !isOwn(work))))
      ledger.emit({ kind: 'prompt', state: 'echo', content: [{ type: 'text', text: whole }], ...synthetic });
    partOf(work, message, id, kind).isDone = true;
    return true;
  }
  const known = partOf(work, message, id, kind);
  if (known.isDone) return true;
  const place = { kind: known.kind, message, part: known.part, agent: agentOf(work, textOf(part.sessionID)) };
  if (kind === 'message' && !state.attempt.includes(message)) state.attempt.push(message);
  if (isWhole || numberOf(objectOf(part.time).end) !== undefined) {
    known.isDone = true;
    ledger.done(place, whole);
    return true;
  }
  // Some updates contain the text so far, of which only the new part is shown.
  const shown = ledger.textOf(place);
  if (whole.startsWith(shown)) ledger.delta(place, whole.slice(shown.length));
  return true;
}

export function partDelta(work: OpenCodeWork, properties: JsonObject): boolean {
  const { ledger } = work;
  const message = textOf(properties.messageID) ?? '';
  const id = textOf(properties.partID) ?? '';
  if (properties.field !== 'text') return true;
  const known = partOf(work, message, id, work.state.parts[id]?.kind ?? 'message');
  if (known.isDone) return true;
  const agent = agentOf(work, textOf(properties.sessionID));
  if (known.kind === 'thinking') work.detail = 'thinking';
  ledger.delta({ kind: known.kind, message, part: known.part, agent }, textOf(properties.delta) ?? '');
  return true;
}

function tool(work: OpenCodeWork, part: JsonObject): boolean {
  const { ledger, state } = work;
  const id = textOf(part.callID) ?? textOf(part.id) ?? '';
  const name = textOf(part.tool) ?? '';
  const now = objectOf(part.state);
  const input = objectOf(now.input);
  const metadata = objectOf(now.metadata);
  const agent = agentOf(work, textOf(part.sessionID));
  if (ledger.hasEnded(id)) return true;
  work.detail = 'tool';
  state.attempt = [];
  const path = textOf(input.filePath) ?? textOf(input.path);
  const hasInput = Object.keys(input).length > 0;
  const title =
    textOf(now.title) || textOf(input.command) || path || textOf(input.pattern) || textOf(input.description);
  const toolKind = Object.hasOwn(KINDS, name) ? KINDS[name]! : 'other';
  if (!ledger.hasTool(id) || (now.status === 'running' && hasInput && (textOf(metadata.output) ?? '') === ''))
    ledger.startTool(id, {
      name,
      toolKind,
      agent,
      ...(hasInput ? { input } : {}),
      ...present({ title: title || undefined, paths: path === undefined ? undefined : [path] }),
    });
  const output = textOf(now.output) ?? textOf(metadata.output);
  if (output !== undefined && output !== '') ledger.setOutput(id, output);
  if (now.status === 'completed') {
    const diff = diffOf(metadata) ?? (name === 'write' ? writtenFile(input, metadata) : undefined);
    if (diff) ledger.emit({ kind: 'file.changed', tool: id, phase: 'applied', diff }, agent);
    const isAborted = metadata.exit === null && state.isAborted;
    if (state.options.isWatching) ledger.toolAnswered(id);
    ledger.toolGoesOn(id);
    // `opencode run` has no event for it.
    if (name === 'todowrite' && Array.isArray(metadata.todos)) todos(work, metadata.todos);
    ledger.endTool(id, {
      status: isAborted ? 'cancelled' : 'ok',
      exitCode: numberOf(metadata.exit),
      output: output === undefined ? undefined : [{ type: 'text', text: output.slice(0, OUTPUT_CHARS_MAX) }],
      ...(metadata.truncated === true || (output?.length ?? 0) > OUTPUT_CHARS_MAX ? { truncated: true } : {}),
    });
  } else if (now.status === 'error') {
    const reason = textOf(now.error) ?? 'error';
    const isDenied = /rejected permission|dismissed this question/.test(reason);
    if (state.options.isWatching && isDenied) ledger.toolAnswered(id);
    ledger.toolGoesOn(id, isDenied);
    const status = isDenied ? 'denied' : /abort/i.test(reason) ? 'cancelled' : 'error';
    ledger.endTool(id, { status, output: [{ type: 'text', text: reason }], reason });
  }
  return true;
}

export function diffOf(metadata: JsonObject): Diff | undefined {
  const file = objectOf(metadata.filediff);
  const path = textOf(file.file) ?? textOf(metadata.filepath);
  const unified = textOf(file.patch) ?? textOf(metadata.diff);
  if (path === undefined || unified === undefined) return undefined;
  return { path, change: metadata.exists === false ? 'add' : 'modify', unified };
}

/** Returns the change of a file that was written as a whole: it has no patch, and the earlier content is unknown. */
function writtenFile(input: JsonObject, metadata: JsonObject): Diff | undefined {
  const path = textOf(metadata.filepath) ?? textOf(input.filePath);
  if (path === undefined) return undefined;
  if (metadata.exists !== false) return { path, change: 'modify' };
  return { path, change: 'add', oldText: null, newText: (textOf(input.content) ?? '').slice(0, OUTPUT_CHARS_MAX) };
}

export function tokensOf(value: unknown): Tokens {
  const tokens = objectOf(value);
  const cache = objectOf(tokens.cache);
  return present({
    input: numberOf(tokens.input),
    output: numberOf(tokens.output),
    reasoning: numberOf(tokens.reasoning),
    total: numberOf(tokens.total),
    cacheRead: numberOf(cache.read),
    cacheWrite: numberOf(cache.write),
  });
}

function fileContent(part: JsonObject): Content {
  const url = textOf(part.url) ?? '';
  const mime = textOf(part.mime) ?? '';
  if (!mime.startsWith('image/')) return { type: 'resource', uri: textOf(part.filename) ?? url.slice(0, 200), mime };
  return { type: 'image', mime, ...(url.startsWith('data:') ? {} : { uri: url }) };
}

export function faultOf(value: unknown): { code: string; message: string; httpStatus?: number; retryable?: boolean } {
  const error = objectOf(value);
  const data = objectOf(error.data);
  return {
    code: textOf(error.name) ?? 'error',
    message: textOf(data.message) ?? textOf(error.message) ?? 'error',
    ...present({
      httpStatus: numberOf(data.statusCode),
      retryable: isObject(error.data) && typeof data.isRetryable === 'boolean' ? data.isRetryable : undefined,
    }),
  };
}
