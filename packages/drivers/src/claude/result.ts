/** Handles the end of a turn: one `result` line each, whatever happened. */
import type { TurnOutcome } from '@spool/protocol/agent';
import { type JsonObject, numberOf, present, textOf, textsOf } from '../json-value.ts';
import type { ClaudeWork } from './state.ts';
import { perModelOf, tokensOf } from './usage.ts';

export function result(work: ClaudeWork, line: JsonObject): boolean {
  const { ledger, state } = work;
  ledger.ensureTurn();
  const isError = line.is_error === true;
  const subtype = textOf(line.subtype) ?? '';
  const text = textOf(line.result);
  const reason = textOf(line.terminal_reason);
  const outcome = outcomeOf(line);
  const totalUsd = numberOf(line.total_cost_usd);
  // The agent counts over the whole session; /clear starts again from 0.
  const costUsd = totalUsd === undefined ? undefined : totalUsd - (totalUsd >= state.costUsd ? state.costUsd : 0);
  if (totalUsd !== undefined) {
    state.costUsd = totalUsd;
    const perModel = perModelOf(line.modelUsage);
    ledger.emit({ kind: 'usage', scope: 'session', costUsd: totalUsd, ...present({ perModel }) });
  }
  const message = text ?? textsOf(line.errors).join('\n');
  const code = textOf(line.api_error_type) ?? reason ?? subtype;
  ledger.endTurn(
    {
      outcome,
      stopReason: textOf(line.stop_reason) ?? reason ?? subtype,
      text,
      error: isError ? { code, message, ...present({ httpStatus: numberOf(line.api_error_status) }) } : undefined,
      usage: tokensOf(line.usage),
      costUsd,
      durationMs: numberOf(line.duration_ms),
    },
    // A subagent in the background continues with its tools.
    (tool) => tool.agent !== undefined,
  );
  state.message = null;
  return true;
}

function outcomeOf(line: JsonObject): TurnOutcome {
  if (line.stop_reason === 'refusal') return 'refused';
  if (line.subtype === 'error_max_turns' || line.subtype === 'error_max_budget_usd') return 'limit';
  if (line.subtype === 'error_during_execution')
    return textOf(line.terminal_reason)?.startsWith('aborted') ? 'interrupted' : 'failed';
  return line.is_error === true ? 'failed' : 'completed';
}
