/** `gemini -o stream-json`: one prompt, text and tools, no ids of messages. Based on version 0.61.0. */
import type { TurnOutcome } from '@spool/protocol/agent';
import type { DialectOptions } from '../dialect.ts';
import { type JsonObject, numberOf, objectOf, present, textOf } from '../json-value.ts';
import { emptyLedger } from '../ledger/state.ts';
import { dialectOf, type DialectState, type Work } from '../ledger/stepper.ts';
import { describeGeminiTool, PLAN_TOOL, readPlan } from './tools.ts';

interface GeminiState extends DialectState {
  messages: number;
  /** Whether a message is being written. */
  isWriting: boolean;
}

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
      ledger.startTool(textOf(line.tool_id) ?? '', describeGeminiTool(name, input));
      if (name === PLAN_TOOL) ledger.emit({ kind: 'plan.updated', replace: true, entries: readPlan(input) });
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
