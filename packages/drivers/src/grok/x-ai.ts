/** Grok's own notifications beside ACP (`_x.ai/…`): streamed arguments, retries, the end of turns that other clients started. */
import type { TurnOutcome } from '@spool/protocol/agent';
import type { AcpExtension } from '../acp/dialect.ts';
import { endPrompt } from '../acp/dialect.ts';
import type { AcpWork } from '../acp/state.ts';
import { type JsonObject, listOf, numberOf, objectOf, present, textOf } from '../json-value.ts';

const SILENT: ReadonlySet<string> = new Set([
  '_x.ai/mcp/servers_updated',
  '_x.ai/mcp_initialized',
  '_x.ai/queue/changed',
  '_x.ai/session/setup',
  '_x.ai/sessions/changed',
  '_x.ai/models/updated',
  '_x.ai/announcements/update',
]);

export const xAi: AcpExtension = (work, method, params) => {
  if (SILENT.has(method)) return true;
  if (method === '_x.ai/session/prompt_complete') return turnCompleted(work, textOf(params.stopReason), {});
  if (method !== '_x.ai/session_notification' && method !== '_x.ai/session/update' && method !== 'session/update')
    return false;
  return notification(work, objectOf(params.update));
};

function notification(work: AcpWork, update: JsonObject): boolean {
  const { ledger, state } = work;
  const tool = textOf(update.tool_call_id) ?? '';
  switch (update.sessionUpdate) {
    case 'tool_call_delta_chunk': {
      const partialJson = textOf(update.arguments_delta);
      const name = textOf(update.name);
      if (ledger.hasEnded(tool) || tool === '') return true;
      ledger.closeParts();
      state.message = null;
      state.last = 'tool_call_delta_chunk';
      state.attempt = [];
      ledger.ensureTurn();
      if (!ledger.hasTool(tool)) ledger.startTool(tool, { name, toolKind: 'other', title: name });
      if (partialJson) ledger.emit({ kind: 'tool.input', tool, partialJson });
      return true;
    }
    case 'turn_completed':
      return turnCompleted(work, textOf(update.stop_reason), objectOf(update.usage));
    case 'response_completed': {
      const usage = objectOf(update.usage);
      state.attempt = [];
      const tokens = present({
        input: numberOf(usage.input_tokens),
        output: numberOf(usage.output_tokens),
        cacheRead: numberOf(usage.cache_read_input_tokens),
        cacheWrite: numberOf(usage.cache_creation_input_tokens),
        reasoning: numberOf(usage.reasoning_tokens),
      });
      ledger.emit({ kind: 'usage', scope: 'message', tokens });
      return true;
    }
    case 'retry_state':
      return retry(work, update);
    case 'interaction_resolved':
      for (const [key, ask] of Object.entries(ledger.state.asks)) {
        if (ask.tool !== tool) continue;
        delete state.asked[key];
        ledger.answeredElsewhere(key);
      }
      return true;
    case 'background_tasks': {
      const tasks = listOf(update.tasks).map((value) => {
        const { id, task_id, title } = objectOf(value);
        return { task: textOf(id) ?? textOf(task_id) ?? '', ...present({ title: textOf(title) }) };
      });
      ledger.emit({ kind: 'tasks.live', tasks });
      return true;
    }
    case 'model_changed':
      ledger.emit({ kind: 'session.updated', ...present({ model: textOf(update.model_id) }) });
      return true;
    case 'session_summary_generated':
      ledger.emit({ kind: 'session.updated', ...present({ title: textOf(update.session_summary) }) });
      return true;
    case 'image_dropped':
      ledger.emit({ kind: 'notice', level: 'warning', code: 'image-dropped', text: 'The agent dropped an image.' });
      return true;
    case 'pending_interaction':
    case 'last_turn_summary':
      return true;
    default:
      return false;
  }
}

/** Handles the report of a turn's end, which comes for every turn; for our own turns, the response to the prompt is the end. */
function turnCompleted(work: AcpWork, stopReason: string | undefined, usage: JsonObject): boolean {
  const { ledger, state } = work;
  if (state.prompts.length > 0 || !ledger.state.turn) return true;
  state.toldEnd = ledger.state.turns;
  const outcome: TurnOutcome = stopReason === 'cancelled' ? 'interrupted' : 'completed';
  const tokens = present({ input: numberOf(usage.inputTokens), output: numberOf(usage.outputTokens) });
  endPrompt(work, '', { outcome, stopReason, ...(Object.keys(tokens).length > 0 ? { usage: tokens } : {}) });
  return true;
}

function retry(work: AcpWork, update: JsonObject): boolean {
  const { ledger, state } = work;
  const message = textOf(update.message) ?? textOf(update.reason) ?? textOf(update.error) ?? 'error';
  const error = { code: textOf(update.error_type) ?? 'api', message };
  if (update.type !== 'retrying') {
    ledger.emit({ kind: 'fault', error, fatal: false });
    return true;
  }
  work.detail = 'retrying';
  // The next attempt starts the answer again.
  ledger.closeParts();
  ledger.retract(state.attempt);
  state.attempt = [];
  state.message = null;
  ledger.emit({
    kind: 'retry',
    attempt: numberOf(update.attempt) ?? 1,
    error: { ...error, retryable: true },
    ...present({ max: numberOf(update.max_retries) }),
  });
  return true;
}
