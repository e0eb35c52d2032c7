/** The state of the Claude dialect, and short functions for it. */
import type { AgentRef } from '@spool/protocol/agent';
import type { DialectOptions } from '../dialect.ts';
import { type JsonObject, textOf } from '../json-value.ts';
import { emptyLedger } from '../ledger/state.ts';
import type { DialectState, Work } from '../ledger/stepper.ts';

export interface ClaudeState extends DialectState {
  /** The number of control requests that were sent: their ids are `spool-1`, … */
  requests: number;
  /** The control requests without a response so far, and their purpose. */
  pending: Record<string, { subtype: string; value?: string }>;
  /** The requests of `can_use_tool`, for the answer. */
  asked: Record<string, { tool: string; name: string; input: JsonObject }>;
  session: string | null;
  model: string | null;
  mode: string | null;
  version: string | null;
  /** The message that is being streamed, and the number of its complete blocks. */
  message: string | null;
  blocks: Record<string, number>;
  /** Tools of the message that is being streamed, by block. */
  toolBlocks: Record<string, string>;
  /** The costs so far, as the agent sums them up. */
  costUsd: number;
  /** Whether a background task has reported: the next turn is then the agent's own. */
  isTaskDue: boolean;
  /** The ids of prompts on the wire, with the clients' own ids. */
  prompts: Record<string, string>;
  isStarted: boolean;
}

export type ClaudeWork = Work<ClaudeState>;

export function initialClaude(options: DialectOptions): ClaudeState {
  return {
    ledger: emptyLedger(),
    options,
    requests: 0,
    pending: {},
    asked: {},
    session: null,
    model: null,
    mode: null,
    version: null,
    message: null,
    blocks: {},
    toolBlocks: {},
    costUsd: 0,
    isTaskDue: false,
    prompts: {},
    isStarted: false,
  };
}

/** The subagent that a line belongs to. */
export function agentOf(line: JsonObject): AgentRef | undefined {
  const parentTool = textOf(line.parent_tool_use_id);
  const id = textOf(line.agent_id);
  if (parentTool === undefined && id === undefined) return undefined;
  const name = textOf(line.subagent_type);
  return {
    ...(id === undefined ? {} : { id }),
    ...(parentTool === undefined ? {} : { parentTool }),
    ...(name === undefined ? {} : { name }),
  };
}

export function requestControl(work: ClaudeWork, request: JsonObject, value?: string): void {
  const id = `spool-${++work.state.requests}`;
  work.state.pending[id] = { subtype: textOf(request.subtype) ?? '', ...(value === undefined ? {} : { value }) };
  work.ledger.write({ type: 'control_request', request_id: id, request });
}
