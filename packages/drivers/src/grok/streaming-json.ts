/**
 * `grok -p … --output-format streaming-json`: one prompt, read-only. Based on version 1.0.41. When the program retries a cut
 * stream it repeats the text without a mark, so such a text stays doubled; ACP reports retries.
 */
import type { TurnOutcome } from '@spool/protocol/agent';
import { type AcpState, initialAcp } from '../acp/state.ts';
import { update } from '../acp/updates.ts';
import { type JsonObject, numberOf, objectOf, present, textOf, textsOf } from '../json-value.ts';
import { dialectOf, type Work } from '../ledger/stepper.ts';

export const grokStreamingJson = dialectOf<AcpState>({
  source: 'grok',
  initial: initialAcp,
  message,
  capabilities: () => ({}),
  typeOf: (line) => textOf(line.type) ?? 'unknown',
});

/** Its lines are ACP's updates under other names. */
const CHUNKS: Readonly<Record<string, string>> = { text: 'agent_message_chunk', thought: 'agent_thought_chunk' };

function message(work: Work<AcpState>, line: JsonObject): boolean {
  const { ledger, state } = work;
  const type = textOf(line.type) ?? '';
  switch (type) {
    case 'available_commands': {
      state.ledger.isReady = true;
      const tools = { tools: textsOf(line.tools) };
      if (!state.isStarted) ledger.emit({ kind: 'session.started', agentName: 'grok', ...tools });
      state.isStarted = true;
      return true;
    }
    case 'text':
    case 'thought':
      return update(work, {
        update: { sessionUpdate: CHUNKS[type], content: { type: 'text', text: textOf(line.data) ?? '' } },
      });
    case 'tool_call':
    case 'tool_call_update': {
      // An update without a status repeats the description of the input, not output.
      const isOutput = line.status === 'in_progress' || line.status === 'completed' || line.status === 'failed';
      const content = isOutput || type === 'tool_call' ? line.content : undefined;
      return update(work, { update: { ...line, content, name: line.toolName, sessionUpdate: type } });
    }
    case 'plan':
      return update(work, { update: { ...line, sessionUpdate: type } });
    case 'usage':
      state.attempt = [];
      ledger.emit({ kind: 'usage', scope: 'message', tokens: tokensOf(line.usage) });
      return true;
    case 'max_turns_reached':
      end(work, 'limit', type, {});
      return true;
    case 'error': {
      const text = textOf(line.message) ?? 'error';
      ledger.ensureTurn();
      ledger.closeParts();
      const error = { code: 'error', message: text };
      ledger.emit({ kind: 'fault', error, fatal: false });
      ledger.endTurn({ outcome: 'failed', stopReason: 'error', error });
      return true;
    }
    case 'end': {
      const agentSession = textOf(line.sessionId);
      if (agentSession !== undefined) ledger.emit({ kind: 'session.updated', agentSession });
      const stopReason = textOf(line.stopReason) ?? 'end_turn';
      const isKnown = Object.hasOwn(OUTCOMES, stopReason);
      end(work, isKnown ? OUTCOMES[stopReason]! : 'completed', stopReason, line);
      return true;
    }
    default:
      return false;
  }
}

const OUTCOMES: Readonly<Record<string, TurnOutcome>> = {
  cancelled: 'interrupted',
  refusal: 'refused',
  max_tokens: 'limit',
  max_turn_requests: 'limit',
};

function end({ ledger }: Work<AcpState>, outcome: TurnOutcome, stopReason: string, line: JsonObject): void {
  // `max_turns_reached` is followed by the `end` of the same turn.
  if (!ledger.state.turn && ledger.state.turns > 0) return;
  ledger.ensureTurn();
  ledger.closeParts();
  ledger.endTurn({ outcome, stopReason, usage: tokensOf(line.usage), costUsd: numberOf(line.total_cost_usd) });
}

function tokensOf(value: unknown): Record<string, number> {
  const usage = objectOf(value);
  return present({
    input: numberOf(usage.input_tokens),
    output: numberOf(usage.output_tokens),
    cacheRead: numberOf(usage.cache_read_input_tokens),
    cacheWrite: numberOf(usage.cache_creation_input_tokens),
    reasoning: numberOf(usage.reasoning_tokens),
    total: numberOf(usage.total_tokens),
  }) as Record<string, number>;
}
