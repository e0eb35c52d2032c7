/** `session/update`: chunks of text, tool calls, plans, commands, modes and usage. */
import type { PlanEntry } from '@spool/protocol/agent';
import { type JsonObject, listOf, numberOf, objectOf, present, textOf } from '../json-value.ts';
import { rawEvent } from '../ledger/raw.ts';
import type { AcpWork } from './state.ts';
import { blockContent, toolCall } from './tools.ts';

/** Updates that do not interrupt the flow of text: a message continues after them. */
const ASIDE: ReadonlySet<string> = new Set([
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
  'notice',
]);

/** The number of latest messages whose parts are remembered. */
const MESSAGES_MAX = 32;

export function update(work: AcpWork, params: JsonObject): boolean {
  const { state, ledger } = work;
  const change = objectOf(params.update);
  const kind = textOf(change.sessionUpdate) ?? '';
  state.session ??= textOf(params.sessionId) ?? null;
  if (state.isSkipping && !ASIDE.has(kind)) return true;
  if (!ASIDE.has(kind) && kind !== state.last) {
    ledger.closeParts();
    state.message = null;
  }
  if (!ASIDE.has(kind)) state.last = kind;
  switch (kind) {
    case 'agent_message_chunk':
      return chunk(work, 'message', change);
    case 'agent_thought_chunk':
      work.detail = 'thinking';
      return chunk(work, 'thinking', change);
    case 'user_message_chunk':
      return userChunk(work, change);
    case 'tool_call':
    case 'tool_call_update':
      ledger.ensureTurn();
      state.attempt = [];
      toolCall(work, change);
      return true;
    case 'plan':
      ledger.emit({ kind: 'plan.updated', replace: true, entries: listOf(change.entries).map(planEntry) });
      return true;
    case 'available_commands_update': {
      const commands = listOf(change.availableCommands).flatMap((command) => textOf(objectOf(command).name) ?? []);
      ledger.emit({ kind: 'session.updated', commands });
      state.isHistoryOver = true;
      if (state.isHistoryDue) {
        state.isHistoryDue = false;
        state.isSkipping = false;
        state.ledger.isReady = true;
      }
      return true;
    }
    case 'current_mode_update':
      ledger.emit({ kind: 'session.updated', ...present({ mode: textOf(change.currentModeId) }) });
      return true;
    case 'config_option_update':
      ledger.emit({ kind: 'session.updated', ...settingsOf(change.configOptions) });
      return true;
    case 'session_info_update':
      ledger.emit({ kind: 'session.updated', ...present({ title: textOf(change.title) }) });
      return true;
    case 'usage_update': {
      const used = numberOf(change.used);
      const size = numberOf(change.size);
      const { amount, currency } = objectOf(change.cost);
      const costUsd = currency === 'USD' ? numberOf(amount) : undefined;
      const context = used !== undefined && size !== undefined ? { used, size } : undefined;
      ledger.emit({ kind: 'usage', scope: 'session', ...present({ context, costUsd }) });
      return true;
    }
    case 'notice':
      ledger.emit({ kind: 'notice', level: 'info', text: textOf(change.message) ?? textOf(change.text) ?? '' });
      return true;
    case 'compaction_update':
      ledger.emit({ kind: 'session.reset', reason: 'compact' });
      return true;
    default:
      return false;
  }
}

function chunk(work: AcpWork, kind: 'message' | 'thinking', change: JsonObject): boolean {
  const { state, ledger } = work;
  const content = blockContent(change.content);
  const mode = content.type === 'text' ? /^\[MODE_UPDATE\] (\w+)\s*$/.exec(content.text)?.[1] : undefined;
  if (mode !== undefined) {
    ledger.emit({ kind: 'session.updated', mode }); // Gemini reports its mode as text of the model.
    return true;
  }
  ledger.ensureTurn();
  if (content.type !== 'text') {
    ledger.emit(rawEvent(`${kind} of type ${content.type}`, change.content));
    return true;
  }
  const own = textOf(change.messageId);
  if (state.message === null || (own !== undefined && own !== state.message)) {
    ledger.closeParts();
    state.message = own ?? `m${++state.messages}`;
    const key = state.message;
    state.parts[key] = (state.parts[key] ?? -1) + 1;
    for (const known of Object.keys(state.parts).slice(0, -MESSAGES_MAX)) delete state.parts[known];
    if (kind === 'message') state.attempt.push(key);
  }
  ledger.delta({ kind, message: state.message, part: state.parts[state.message] ?? 0 }, content.text);
  return true;
}

/** Handles a prompt that the agent repeats: ours, or one from a loaded history or another client of the same session. */
function userChunk({ state, ledger }: AcpWork, change: JsonObject): boolean {
  const content = [blockContent(change.content)];
  if (state.prompts.length === 0 && state.message === null) {
    ledger.endTurn({ outcome: 'completed', stopReason: 'next-prompt' });
    state.isFollowing = true;
    ledger.startTurn('user', { prompt: content });
    return true;
  }
  ledger.emit({ kind: 'prompt', state: 'echo', content });
  return true;
}

function planEntry(value: unknown): PlanEntry {
  const { content, status, priority } = objectOf(value);
  return {
    text: textOf(content) ?? '',
    status: status === 'in_progress' || status === 'completed' ? status : 'pending',
    ...(priority === 'high' || priority === 'medium' || priority === 'low' ? { priority } : {}),
  };
}

/** Returns mode and model from a list of options. */
export function settingsOf(options: unknown): { mode?: string; model?: string } {
  const settings: { mode?: string; model?: string } = {};
  for (const value of listOf(options)) {
    const { category, currentValue } = objectOf(value);
    const current = textOf(currentValue);
    if (current === undefined) continue;
    if (category === 'mode') settings.mode = current;
    if (category === 'model') settings.model = current;
  }
  return settings;
}
