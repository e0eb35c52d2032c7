/**
 * Handles the items of a turn: messages, reasoning, commands, file changes and other tools. Two programs use different names for
 * them:
 */
import type { Content, Diff, ToolKind, ToolStatus } from '@spool/protocol/agent';
import { isObject, type JsonObject, listOf, numberOf, objectOf, present, textOf, textsOf } from '../json-value.ts';
import type { ToolStart } from '../ledger/ledger.ts';
import type { CodexWork } from './state.ts';

/** `codex exec` writes `command_execution` where the app server writes `commandExecution`. */
const camel = (word: string): string => word.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The number of commands of one turn that are remembered for its end. */
const COMMANDS_MAX = 100;

/** The limit of output that is repeated at the end of a tool, for readers that skip its growth. */
const OUTPUT_CHARS_MAX = 64 * 1024;

export function itemStarted(work: CodexWork, item: JsonObject): boolean {
  const { ledger, state } = work;
  const id = textOf(item.id) ?? '';
  switch (camel(textOf(item.type) ?? '')) {
    case 'agentMessage':
    case 'plan':
      startMessage(work, id);
      return true;
    case 'reasoning':
      work.detail = 'thinking';
      return true;
    case 'userMessage':
    case 'hookPrompt':
    case 'error':
    case 'todoList':
    case 'contextCompaction':
    case 'enteredReviewMode':
    case 'exitedReviewMode':
    case 'subAgentActivity':
    case 'functionCallOutput':
      return true;
    default: {
      const start = toolStart(item);
      if (!start) return false;
      state.attempt = [];
      work.detail = 'tool';
      ledger.startTool(id, start);
      if (start.name === 'shell') state.commands = [...state.commands.slice(1 - COMMANDS_MAX), id];
      for (const diff of diffsOf(item)) ledger.emit({ kind: 'file.changed', tool: id, phase: 'proposed', diff });
      return true;
    }
  }
}

export function itemUpdated(work: CodexWork, item: JsonObject): boolean {
  if (camel(textOf(item.type) ?? '') === 'todoList') return todoList(work, item);
  return itemStarted(work, item);
}

export function itemCompleted(work: CodexWork, item: JsonObject): boolean {
  const { ledger } = work;
  const id = textOf(item.id) ?? '';
  switch (camel(textOf(item.type) ?? '')) {
    case 'agentMessage':
    case 'plan':
      startMessage(work, id);
      ledger.done({ kind: 'message', message: id, part: 0 }, textOf(item.text));
      return true;
    case 'reasoning':
      return reasoningDone(work, id, item);
    case 'userMessage': {
      work.state.attempt = [];
      const clientId = textOf(item.clientId);
      const content = listOf(item.content).map(inputContent);
      ledger.emit({ kind: 'prompt', state: 'echo', content, ...present({ clientId }) });
      return true;
    }
    case 'hookPrompt':
      ledger.emit({
        kind: 'prompt',
        state: 'echo',
        content: [{ type: 'other', value: item.fragments }],
        synthetic: true,
      });
      return true;
    case 'error':
      ledger.emit({ kind: 'notice', level: 'error', text: textOf(item.message) ?? 'error' });
      return true;
    case 'todoList':
      return todoList(work, item);
    case 'contextCompaction':
      ledger.emit({ kind: 'session.reset', reason: 'compact' });
      return true;
    case 'enteredReviewMode':
    case 'exitedReviewMode':
      ledger.emit({
        kind: 'session.updated',
        mode: camel(String(item.type)) === 'enteredReviewMode' ? 'review' : 'default',
      });
      return true;
    case 'subAgentActivity':
      ledger.emit({
        kind: 'task',
        task: textOf(item.agentThreadId) ?? id,
        state: 'progress',
        taskKind: 'subagent',
        ...present({ title: textOf(item.agentPath), note: textOf(item.kind) }),
      });
      return true;
    case 'functionCallOutput':
      return true;
    default:
      return toolDone(work, id, item);
  }
}

function startMessage({ state, ledger }: CodexWork, id: string): void {
  if (!state.attempt.includes(id)) state.attempt.push(id);
  ledger.delta({ kind: 'message', message: id, part: 0 }, '');
}

function reasoningDone({ ledger, state }: CodexWork, id: string, item: JsonObject): boolean {
  const text = textOf(item.text);
  const summary = textsOf(item.summary);
  const content = textsOf(item.content);
  const shown = state.reasoning[id] ?? (summary.length > 0 ? 'summary' : 'content');
  delete state.reasoning[id];
  const texts = text === undefined ? (shown === 'summary' ? summary : content) : [text];
  texts.forEach((whole, part) => ledger.done({ kind: 'thinking', message: id, part }, whole));
  return true;
}

function toolDone(work: CodexWork, id: string, item: JsonObject): boolean {
  const { ledger, state } = work;
  const start = toolStart(item);
  if (!start) return false;
  state.attempt = [];
  if (!ledger.hasTool(id)) ledger.startTool(id, start);
  const status = statusOf(item);
  ledger.toolGoesOn(id, status === 'denied');
  const output = textOf(item.aggregatedOutput) ?? textOf(item.aggregated_output);
  if (output !== undefined && output !== '') ledger.setOutput(id, output);
  const phase = status === 'ok' ? 'applied' : 'failed';
  for (const diff of diffsOf(item)) ledger.emit({ kind: 'file.changed', tool: id, phase, diff });
  const exitCode = numberOf(item.exitCode) ?? numberOf(item.exit_code);
  ledger.endTool(id, {
    status,
    exitCode,
    output: outputContent(item, output),
    ...(isObject(item.result) || isObject(item.error) ? { structured: item.result ?? item.error } : {}),
    ...((output?.length ?? 0) > OUTPUT_CHARS_MAX ? { truncated: true } : {}),
  });
  return true;
}

function outputContent(item: JsonObject, output: string | undefined): Content[] | undefined {
  if (output) return [{ type: 'text', text: output.slice(0, OUTPUT_CHARS_MAX) }];
  const content = listOf(objectOf(item.result).content).map((value) => {
    const text = textOf(objectOf(value).text);
    return text === undefined ? ({ type: 'other', value } as const) : ({ type: 'text', text } as const);
  });
  return content.length > 0 ? content : undefined;
}

function statusOf(item: JsonObject): ToolStatus {
  if (item.status === 'declined') return 'denied';
  if (item.status === 'failed' || isObject(item.error) || item.success === false) return 'error';
  return 'ok';
}

function toolStart(item: JsonObject): ToolStart | undefined {
  switch (camel(textOf(item.type) ?? '')) {
    case 'commandExecution': {
      const command = textOf(item.command) ?? '';
      const input = { command, ...present({ cwd: textOf(item.cwd) }) };
      return { name: 'shell', toolKind: commandKind(item), title: command, input };
    }
    case 'fileChange': {
      const paths = listOf(item.changes).flatMap((change) => textOf(objectOf(change).path) ?? []);
      return { name: 'apply_patch', toolKind: 'edit', title: paths.join(', '), paths, input: { paths } };
    }
    case 'mcpToolCall': {
      const name = `${textOf(item.server) ?? 'mcp'}.${textOf(item.tool) ?? ''}`;
      return { name, toolKind: 'other', title: name, input: item.arguments };
    }
    case 'dynamicToolCall': {
      const name = textOf(item.tool) ?? 'tool';
      return { name, toolKind: 'other', title: name, input: item.arguments };
    }
    case 'collabAgentToolCall':
    case 'collabToolCall': {
      const name = textOf(item.tool) ?? 'agent';
      return { name, toolKind: 'agent', title: textOf(item.prompt), input: present({ prompt: textOf(item.prompt) }) };
    }
    case 'webSearch':
      return {
        name: 'web_search',
        toolKind: 'fetch',
        title: textOf(item.query),
        input: present({ query: textOf(item.query) }),
      };
    case 'imageView':
      return { name: 'view_image', toolKind: 'read', title: textOf(item.path), paths: textsOf([item.path]) };
    case 'imageGeneration':
      return { name: 'generate_image', toolKind: 'other', title: textOf(item.revisedPrompt) };
    case 'sleep':
      return { name: 'sleep', toolKind: 'other', title: 'sleep' };
    default:
      return undefined;
  }
}

function commandKind(item: JsonObject): ToolKind {
  const kinds = new Set(listOf(item.commandActions).map((action) => objectOf(action).type));
  if (kinds.size === 1 && kinds.has('read')) return 'read';
  if (kinds.size === 1 && (kinds.has('search') || kinds.has('listFiles'))) return 'search';
  return 'execute';
}

/** `diff` is the plain content of a file that is added or deleted, and hunks without a header for an update. */
export function diffsOf(item: JsonObject): Diff[] {
  return listOf(item.changes).flatMap((value): Diff[] => {
    const change = objectOf(value);
    const path = textOf(change.path);
    const kind = textOf(change.kind) ?? textOf(objectOf(change.kind).type);
    if (path === undefined) return [];
    const text = textOf(change.diff);
    if (kind === 'add') return [{ path, change: 'add', oldText: null, ...present({ newText: text }) }];
    if (kind === 'delete') return [{ path, change: 'delete', ...present({ oldText: text }) }];
    const movedTo = textOf(objectOf(change.kind).move_path);
    return [{ path, change: movedTo === undefined ? 'modify' : 'move', ...present({ movedTo, unified: text }) }];
  });
}

function inputContent(value: unknown): Content {
  const { type, text, url, path } = objectOf(value);
  if (type === 'text' && typeof text === 'string') return { type: 'text', text };
  const uri = textOf(url) ?? textOf(path);
  if ((type === 'image' || type === 'localImage') && uri !== undefined)
    return uri.startsWith('data:')
      ? { type: 'image', mime: /^data:([^;,]*)/.exec(uri)?.[1] || 'image/png' }
      : { type: 'image', mime: 'image/*', uri };
  return { type: 'other', value };
}

function todoList({ ledger }: CodexWork, item: JsonObject): boolean {
  const entries = listOf(item.items).map((value) => {
    const { text, completed } = objectOf(value);
    return { text: textOf(text) ?? '', status: completed === true ? ('completed' as const) : ('pending' as const) };
  });
  ledger.emit({ kind: 'plan.updated', replace: true, entries });
  return true;
}
