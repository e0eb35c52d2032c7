/** The output of the model: streamed blocks (`stream_event`), whole blocks (`assistant`) and results of tools (`user`). */
import type { AgentRef } from '@spool/protocol/agent';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../json-value.ts';
import type { PartPlace } from '../ledger/ledger.ts';
import { agentOf, type ClaudeWork } from './state.ts';
import { blockContent, parseToolContent, diffOf, pathsOf, planOf, titleOf, toolKindOf } from './tools.ts';
import { tokensOf } from './usage.ts';

export function streamEvent(work: ClaudeWork, line: JsonObject): boolean {
  const { state, ledger } = work;
  const event = objectOf(line.event);
  const agent = agentOf(line);
  const part = numberOf(event.index) ?? 0;
  const message = textOf(line.api_message_id) ?? state.message ?? 'message';
  switch (event.type) {
    case 'message_start': {
      if (!agent) ledger.ensureTurn();
      state.message = textOf(objectOf(event.message).id) ?? message;
      state.blocks = { [state.message]: 0 };
      state.toolBlocks = {};
      return true;
    }
    case 'content_block_start':
      return blockStart(work, objectOf(event.content_block), { message, part, agent });
    case 'content_block_delta':
      return blockDelta(work, objectOf(event.delta), { message, part, agent });
    case 'message_delta': {
      const tokens = tokensOf(event.usage);
      if (tokens) ledger.emit({ kind: 'usage', scope: 'message', tokens }, agent);
      return true;
    }
    case 'message_stop': {
      // A stream that was cut starts again, and its text so far is not part of the answer.
      const abandoned = objectOf(line.abandoned_blocks);
      if (numberOf(abandoned.from_block_index) === 0) ledger.retract([textOf(abandoned.api_message_id) ?? message]);
      return true;
    }
    case 'content_block_stop':
    case 'ping':
      return true;
    default:
      return false;
  }
}

type BlockPlace = Omit<PartPlace, 'kind'>;

function blockStart(work: ClaudeWork, block: JsonObject, place: BlockPlace): boolean {
  const { ledger, state } = work;
  switch (block.type) {
    case 'text':
      ledger.delta({ kind: 'message', ...place }, textOf(block.text) ?? '');
      return true;
    case 'thinking':
    case 'redacted_thinking':
      work.detail = 'thinking';
      ledger.delta({ kind: 'thinking', ...place }, textOf(block.thinking) ?? '');
      return true;
    case 'tool_use':
    case 'server_tool_use': {
      const id = textOf(block.id);
      if (id === undefined) return false;
      const name = textOf(block.name) ?? '';
      state.toolBlocks[place.part] = id;
      ledger.startTool(id, { name, toolKind: toolKindOf(name), agent: place.agent });
      return true;
    }
    default:
      return false;
  }
}

function blockDelta(work: ClaudeWork, delta: JsonObject, place: BlockPlace): boolean {
  const { ledger, state } = work;
  switch (delta.type) {
    case 'text_delta':
      ledger.delta({ kind: 'message', ...place }, textOf(delta.text) ?? '');
      return true;
    case 'thinking_delta':
      work.detail = 'thinking';
      ledger.delta({ kind: 'thinking', ...place }, textOf(delta.thinking) ?? '');
      return true;
    case 'input_json_delta': {
      const tool = state.toolBlocks[place.part];
      const partialJson = textOf(delta.partial_json);
      if (tool !== undefined && partialJson && ledger.hasTool(tool))
        ledger.emit({ kind: 'tool.input', tool, partialJson }, place.agent);
      return true;
    }
    case 'signature_delta':
    case 'citations_delta':
      return true;
    default:
      return false;
  }
}

export function assistant(work: ClaudeWork, line: JsonObject): boolean {
  if (!agentOf(line)) work.ledger.ensureTurn();
  return assistantMessage(work, line);
}

/** Handles a message of the assistant, whichever turn is open. */
export function assistantMessage(work: ClaudeWork, line: JsonObject): boolean {
  const { state, ledger } = work;
  const agent = agentOf(line);
  const whole = objectOf(line.message);
  const message = textOf(whole.id) ?? textOf(line.uuid) ?? 'message';
  const end = {
    ...(line.aborted === true ? { aborted: true } : {}),
    ...(whole.model === '<synthetic>' ? { synthetic: true } : {}),
    ...(line.is_api_error_message === true ? { isError: true } : {}),
    durationMs: numberOf(line.thinking_duration_ms),
  };
  let isKnown = true;
  for (const value of listOf(whole.content)) {
    const block = objectOf(value);
    const part = nextBlock(work, message, block);
    if (block.type === 'text') ledger.done({ kind: 'message', message, part, agent }, textOf(block.text) ?? '', end);
    else if (block.type === 'thinking')
      ledger.done({ kind: 'thinking', message, part, agent }, textOf(block.thinking) ?? '', end);
    else if (block.type === 'redacted_thinking') ledger.done({ kind: 'thinking', message, part, agent }, '', end);
    else if (block.type === 'tool_use' || block.type === 'server_tool_use') toolUse(work, block, agent);
    else isKnown = false;
    state.blocks[message] = Math.max(state.blocks[message] ?? 0, part + 1);
  }
  forgetMessages(work);
  return isKnown;
}

/** Returns the number of this block in its message: the first open one of its kind, or the next. */
function nextBlock(work: ClaudeWork, message: string, block: JsonObject): number {
  const kind = block.type === 'text' ? 'message' : 'thinking';
  const open = Object.values(work.ledger.state.parts)
    .filter((part) => part.message === message && part.kind === kind)
    .map(({ part }) => part);
  if ((block.type === 'text' || block.type === 'thinking') && open.length > 0) return Math.min(...open);
  return work.state.blocks[message] ?? 0;
}

function toolUse(work: ClaudeWork, block: JsonObject, agent: AgentRef | undefined): void {
  const id = textOf(block.id);
  if (id === undefined) return;
  const name = textOf(block.name) ?? '';
  const input = objectOf(block.input);
  work.detail = 'tool';
  const about = { name, title: titleOf(name, input), paths: pathsOf(input), input };
  work.ledger.startTool(id, { ...about, toolKind: toolKindOf(name), agent });
}

/** Messages of subagents have no end, so only the latest are remembered. */
const MESSAGES_MAX = 32;

function forgetMessages({ state }: ClaudeWork): void {
  const known = Object.keys(state.blocks);
  for (const message of known.slice(0, Math.max(0, known.length - MESSAGES_MAX)))
    if (message !== state.message) delete state.blocks[message];
}

export function user(work: ClaudeWork, line: JsonObject): boolean {
  const { ledger } = work;
  const { content } = objectOf(line.message);
  const agent = agentOf(line);
  if (typeof content === 'string') {
    const synthetic = line.isSynthetic === true || line.isReplay === true;
    ledger.emit({ kind: 'prompt', state: 'echo', content: [{ type: 'text', text: content }], synthetic }, agent);
    return true;
  }
  let isKnown = Array.isArray(content);
  for (const value of listOf(content)) {
    const block = objectOf(value);
    if (block.type === 'tool_result') toolResult(work, line, block);
    else if (block.type === 'text' || block.type === 'image' || block.type === 'document')
      ledger.emit({ kind: 'prompt', state: 'echo', content: [blockContent(block)], synthetic: true }, agent);
    else isKnown = false;
  }
  return isKnown;
}

/**
 * The reasons of a denial, by a person or by a rule of Claude's own settings. Claude 2.1.239 also gives them for the answer of a
 * client.
 */
const NOT_RUN_BECAUSE_DENIED: ReadonlySet<string> = new Set(['user-rejected', 'permission-rule']);

function toolResult(work: ClaudeWork, line: JsonObject, block: JsonObject): void {
  const { ledger, state } = work;
  const tool = textOf(block.tool_use_id);
  if (tool === undefined) return;
  const agent = agentOf(line);
  if (!ledger.hasTool(tool)) ledger.startTool(tool, { toolKind: 'other', agent });
  const meta = objectOf(listOf(line.tool_result_meta).find((item) => objectOf(item).id === tool));
  const { decision } = objectOf(meta.permission_decision);
  const isDenied = decision === 'reject' || NOT_RUN_BECAUSE_DENIED.has(textOf(meta.non_execution_kind) ?? '');
  for (const [request, asked] of Object.entries(state.asked)) {
    if (asked.tool !== tool) continue;
    delete state.asked[request];
    const message = isDenied ? textOf(block.content) : undefined;
    ledger.resolvePermission(request, isDenied ? 'deny' : 'allow', 'terminal', { message });
    const { answers } = objectOf(line.tool_use_result);
    ledger.resolveQuestion(request, isObject(answers) ? 'answered' : 'declined', 'terminal', {
      answers: isObject(answers) ? answers : undefined,
    });
  }
  const result = line.tool_use_result;
  const structured = objectOf(result);
  const diff = diffOf(result);
  if (diff)
    ledger.emit({ kind: 'file.changed', tool, phase: block.is_error === true ? 'failed' : 'applied', diff }, agent);
  const plan = planOf(result);
  if (plan) ledger.emit({ kind: 'plan.updated', ...plan }, agent);
  const task =
    textOf(structured.backgroundTaskId) ?? (structured.isAsync === true ? textOf(structured.agentId) : undefined);
  const isFailed = block.is_error === true;
  ledger.endTool(tool, {
    status: isDenied ? 'denied' : task !== undefined ? 'background' : isFailed ? 'error' : 'ok',
    output: parseToolContent(block.content),
    task,
    ...(isObject(result) && !diff ? { structured: result } : {}),
    ...(structured.persistedOutputPath === undefined ? {} : { truncated: true }),
  });
}
