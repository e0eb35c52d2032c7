/**
 * Claude Code, headless: stream-json both ways with its control protocol. Based on version 2.1.325; unknown lines of another
 * version become `raw`. Grok's `streaming-messages-json` has the same shape.
 */
import type { Content } from '@spool/protocol/agent';
import type { DialectOptions } from '../dialect.ts';
import type { Capabilities } from '../ledger/commands.ts';
import type { QueuedPrompt } from '../ledger/state.ts';
import { dialectOf } from '../ledger/stepper.ts';
import { type JsonObject, listOf, numberOf, objectOf, present, textOf } from '../json-value.ts';
import {
  answerPermission,
  answerQuestion,
  controlCancel,
  controlRequest,
  controlResponse,
  sentResponse,
  unreadableRequest,
} from './control.ts';
import { result } from './result.ts';
import { type ClaudeState, type ClaudeWork, initialClaude, requestControl } from './state.ts';
import { assistant, streamEvent, user } from './stream.ts';
import { system } from './system.ts';
import { blockContent } from './tools.ts';
import { uuidOf } from './uuid.ts';

export const claude = dialectOf<ClaudeState>({
  source: 'claude',
  initial: (options: DialectOptions) => initialClaude(options),
  message,
  unreadable: unreadableRequest,
  sent,
  started(work) {
    if (!work.state.options.isReadOnly) requestControl(work, { subtype: 'initialize', hooks: null });
  },
  capabilities,
  program: ({ state }) => (state.version === null ? null : { name: 'claude', version: state.version }),
  resumable: ({ state }) => (state.ledger.turns > 0 ? state.session : null),
  typeOf: (line) => [line.type, line.subtype].filter((word) => typeof word === 'string').join('/') || 'unknown',
});

function message(work: ClaudeWork, line: JsonObject): boolean {
  const { ledger } = work;
  switch (line.type) {
    case 'system':
      return system(work, line);
    case 'stream_event':
      return streamEvent(work, line);
    case 'assistant':
      return assistant(work, line);
    case 'user':
      return user(work, line);
    case 'result':
      return result(work, line);
    case 'control_request':
      return controlRequest(work, line);
    case 'control_cancel_request':
      return controlCancel(work, line);
    case 'control_response':
      return controlResponse(work, line);
    case 'command_lifecycle':
      return lifecycle(work, line);
    case 'conversation_reset': {
      work.state.costUsd = 0;
      const reason = line.trigger === 'clear' ? 'clear' : 'other';
      ledger.emit({
        kind: 'session.reset',
        reason,
        ...present({ agentSession: textOf(line.new_conversation_id) }),
      });
      return true;
    }
    case 'tool_progress': {
      const tool = textOf(line.parent_tool_use_id) ?? textOf(line.tool_use_id) ?? '';
      const seconds = numberOf(line.elapsed_time_seconds);
      if (ledger.hasTool(tool))
        ledger.emit({ kind: 'tool.progress', tool, ...(seconds === undefined ? {} : { elapsedMs: seconds * 1000 }) });
      return true;
    }
    case 'rate_limit_event': {
      const info = objectOf(line.rate_limit_info);
      const [used, resets] = [numberOf(info.utilization), numberOf(info.resetsAt)];
      ledger.emit({
        kind: 'quota',
        ...present({ name: textOf(info.rateLimitType) }),
        ...(used === undefined ? {} : { usedPercent: Math.round(used * 1000) / 10 }),
        ...(resets === undefined ? {} : { resetsAt: resets * 1000 }),
        detail: { status: info.status },
      });
      return true;
    }
    case 'tool_use_summary':
      ledger.emit({ kind: 'notice', level: 'info', code: 'summary', text: textOf(line.summary) ?? '' });
      return true;
    case 'keep_alive':
      return true;
    default:
      return false;
  }
}

/** Handles the progress of a prompt that was sent with an id. */
function lifecycle({ ledger, state }: ClaudeWork, line: JsonObject): boolean {
  const uuid = textOf(line.command_uuid) ?? '';
  const { state: phase } = line;
  if (phase !== 'queued' && phase !== 'started' && phase !== 'completed' && phase !== 'cancelled') return false;
  const own = state.prompts[uuid];
  if (own !== undefined) {
    // Our own prompts are skipped here: the turn reports their start and end.
    if (phase === 'completed' || phase === 'cancelled') delete state.prompts[uuid];
    if (phase === 'cancelled') ledger.emit({ kind: 'prompt', state: 'cancelled', clientId: own });
    return true;
  }
  ledger.emit({ kind: 'prompt', state: phase, clientId: uuid });
  return true;
}

function sent(work: ClaudeWork, line: JsonObject): void {
  const { ledger } = work;
  if (line.type === 'control_response') sentResponse(work, line);
  if (line.type !== 'user') return;
  const { content } = objectOf(line.message);
  const prompt: Content[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(blockContent);
  const uuid = textOf(line.uuid);
  const clientIds = uuid === undefined ? [] : [uuid];
  if (!ledger.state.turn) ledger.startTurn('user', { prompt, clientIds });
  else ledger.emit({ kind: 'prompt', state: 'queued', content: prompt, ...present({ clientId: uuid }) });
}

function capabilities(work: ClaudeWork): Capabilities {
  const send = (prompt: QueuedPrompt): void => {
    const uuid = uuidOf(prompt.clientId);
    work.state.prompts[uuid] = prompt.clientId;
    const content = prompt.content.map(contentBlock);
    work.ledger.write({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, uuid });
  };
  return {
    prompt: send,
    steer: send,
    interrupt: () => requestControl(work, { subtype: 'interrupt' }),
    permission: (request, choice) => answerPermission(work, request, choice),
    takesInput: true,
    question: (request, answers) => answerQuestion(work, request, answers),
    setMode: (mode) => requestControl(work, { subtype: 'set_permission_mode', mode }, mode),
    setModel: (model) => requestControl(work, { subtype: 'set_model', model }, model),
    background: () => requestControl(work, { subtype: 'background_tasks' }),
    stopTask: (task) => requestControl(work, { subtype: 'stop_task', task_id: task }, task),
  };
}

function contentBlock(part: Content): unknown {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: part.mime, data: part.data ?? '' } };
    case 'resource':
      return { type: 'text', text: part.text === undefined ? `@${part.uri}` : `${part.uri}:\n${part.text}` };
    case 'other':
      return part.value;
  }
}
