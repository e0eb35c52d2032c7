/** `gemini -o stream-json`: one prompt, text and tools, no ids of messages. Known from version 0.61.0. */
import type { PlanEntry, ToolKind, TurnOutcome } from '@spool/protocol/agent';
import type { DialectOptions } from '../dialect.ts';
import { type JsonObject, listOf, numberOf, objectOf, present, textOf } from '../json-value.ts';
import { emptyLedger } from '../ledger/state.ts';
import { dialectOf, type DialectState, type Work } from '../ledger/stepper.ts';

interface GeminiState extends DialectState {
  messages: number;
  /** Whether a message is being written. */
  isWriting: boolean;
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  run_shell_command: 'execute',
  read_file: 'read',
  read_many_files: 'read',
  write_file: 'edit',
  replace: 'edit',
  list_directory: 'search',
  glob: 'search',
  search_file_content: 'search',
  grep_search: 'search',
  web_fetch: 'fetch',
  google_web_search: 'fetch',
  write_todos: 'think',
};

export const geminiStreamJson = dialectOf<GeminiState>({
  source: 'gemini',
  initial: (options: DialectOptions) => ({ ledger: emptyLedger(), options, messages: 0, isWriting: false }),
  message,
  capabilities: () => ({}),
  typeOf: (line) => textOf(line.type) ?? 'unknown',
});

function message(work: Work<GeminiState>, line: JsonObject): boolean {
  const { ledger, state } = work;
  switch (line.type) {
    case 'init':
      state.ledger.isReady = true;
      ledger.emit({
        kind: 'session.started',
        agentName: 'gemini',
        ...present({ agentSession: textOf(line.session_id), model: textOf(line.model) }),
      });
      return true;
    case 'message':
      return text(work, line);
    case 'tool_use': {
      endMessage(work);
      ledger.ensureTurn();
      work.detail = 'tool';
      const name = textOf(line.tool_name) ?? '';
      const input = objectOf(line.parameters);
      const path = textOf(input.file_path) ?? textOf(input.path) ?? textOf(input.dir_path);
      ledger.startTool(textOf(line.tool_id) ?? '', {
        name,
        toolKind: Object.hasOwn(KINDS, name) ? KINDS[name]! : 'other',
        title: textOf(input.command) ?? path ?? name,
        input,
        paths: path === undefined ? undefined : [path],
      });
      if (name === 'write_todos') todos(work, input);
      return true;
    }
    case 'tool_result': {
      const tool = textOf(line.tool_id) ?? '';
      const output = textOf(line.output) ?? textOf(objectOf(line.error).message);
      if (!ledger.hasTool(tool)) ledger.startTool(tool, { toolKind: 'other' });
      ledger.endTool(tool, {
        status: line.status === 'error' ? 'error' : 'ok',
        output: output === undefined ? undefined : [{ type: 'text', text: output }],
        reason: textOf(objectOf(line.error).type),
      });
      return true;
    }
    case 'error':
      ledger.emit({
        kind: 'notice',
        level: line.severity === 'error' ? 'error' : 'warning',
        text: textOf(line.message) ?? 'error',
      });
      return true;
    case 'result':
      return result(work, line);
    default:
      return false;
  }
}

function text(work: Work<GeminiState>, line: JsonObject): boolean {
  const { ledger, state } = work;
  const content = textOf(line.content) ?? '';
  if (line.role === 'user') {
    endMessage(work);
    ledger.endTurn({ outcome: 'completed', stopReason: 'next-prompt' });
    ledger.startTurn('user', { prompt: [{ type: 'text', text: content }] });
    return true;
  }
  if (line.role !== 'assistant') return false;
  ledger.ensureTurn();
  if (!state.isWriting) {
    state.isWriting = true;
    state.messages++;
  }
  ledger.delta({ kind: 'message', message: `m${state.messages}`, part: 0 }, content);
  if (line.delta !== true) endMessage(work);
  return true;
}

/** Ends a message, because another item begins. */
function endMessage({ ledger, state }: Work<GeminiState>): void {
  ledger.closeParts();
  state.isWriting = false;
}

function result(work: Work<GeminiState>, line: JsonObject): boolean {
  const { ledger } = work;
  endMessage(work);
  ledger.ensureTurn();
  const stats = objectOf(line.stats);
  const error = objectOf(line.error);
  const message = textOf(error.message) ?? 'error';
  const isFailed = line.status !== 'success';
  const isLimit = /turn limit|max.*turns/i.test(`${textOf(error.type) ?? ''} ${message}`);
  const outcome: TurnOutcome = !isFailed ? 'completed' : isLimit ? 'limit' : 'failed';
  ledger.endTurn({
    outcome,
    stopReason: textOf(line.status),
    error: isFailed ? { code: textOf(error.type) ?? 'error', message } : undefined,
    usage: present({
      input: numberOf(stats.input_tokens),
      output: numberOf(stats.output_tokens),
      cacheRead: numberOf(stats.cached),
      total: numberOf(stats.total_tokens),
    }),
    durationMs: numberOf(stats.duration_ms),
  });
  return true;
}

function todos({ ledger }: Work<GeminiState>, input: JsonObject): void {
  const entries = listOf(input.todos).map((value): PlanEntry => {
    const { description, status } = objectOf(value);
    const known = status === 'in_progress' || status === 'completed' ? status : undefined;
    return { text: textOf(description) ?? '', status: known ?? (status === 'cancelled' ? 'deleted' : 'pending') };
  });
  ledger.emit({ kind: 'plan.updated', replace: true, entries });
}
