/** The state of the OpenCode dialect, and the numbering of the parts of its messages. */
import type { AgentRef, AgentFault } from '@spool/protocol/agent';
import type { DialectOptions } from '../dialect.ts';
import { emptyLedger } from '../ledger/state.ts';
import type { DialectState, Work } from '../ledger/stepper.ts';

export interface OpenCodeState extends DialectState {
  session: string | null;
  isStarted: boolean;
  /** Calls that were made so far: their ids are `spool-1`, `spool-2`, … */
  requests: number;
  /** The latest messages: the author of each, and the number of its parts. */
  messages: Record<string, { isUser: boolean; parts: number }>;
  /** The latest parts, with their number in their message. */
  parts: Record<string, { part: number; isDone: boolean; kind: 'message' | 'thinking' }>;
  /** The error of the running turn. */
  error: AgentFault | null;
  isAborted: boolean;
  /** Whether the agent has reported that it is idle; late messages then start no turn. */
  isIdle: boolean;
  /** Whether a prompt was sent: an `idle` before the next `busy` belongs to the previous turn. */
  awaitsBusy: boolean;
  /** Whether an interrupt came before the agent was busy, so that it must be sent again then. */
  wantsAbort: boolean;
  /** Whether the last error was reported, because the agent repeats some with a stack trace. */
  hasFailed: boolean;
  costUsd: number;
  /** The version of the program that created the session. */
  version: string | null;
  /** Title and model as they were last reported. */
  told: string;
  /** The list of todos as it was last reported, as JSON. */
  plan: string;
  /** The agent's slash commands. */
  commands: string[];
  /** The number of connections to its events; with more than one, some events were missed (`reconcile.ts`). */
  connections: number;
  /** The last message, and the last before the running turn. Their ids rise. */
  lastMessage: string;
  turnAfter: string;
  isLookedAtAgain: boolean;
  /** The error of a cut-off call with the prompt: it is unknown whether the agent has the prompt. */
  lost: AgentFault | null;
  /** The requests that were open when events were missed. */
  asksBefore: string[];
  /** The answers to permissions, in case one is lost. */
  replies: Record<string, unknown>;
  /** The replies that were sent again. */
  repeated: number;
  /** Prompts of clients that the agent has not repeated yet. */
  unechoed: number;
  /** The messages of the model's current answer, which a retry starts again. */
  attempt: string[];
  model: string | null;
  agent: string | null;
}

export type OpenCodeWork = Work<OpenCodeState>;

export function initialOpenCode(options: DialectOptions): OpenCodeState {
  return {
    ledger: emptyLedger(),
    options,
    session: options.resume ?? null,
    isStarted: false,
    requests: 0,
    messages: {},
    parts: {},
    error: null,
    isAborted: false,
    isIdle: false,
    awaitsBusy: false,
    wantsAbort: false,
    hasFailed: false,
    costUsd: 0,
    version: null,
    told: '',
    plan: '',
    commands: [],
    connections: 0,
    lastMessage: '',
    turnAfter: '',
    isLookedAtAgain: false,
    lost: null,
    asksBefore: [],
    replies: {},
    repeated: 0,
    unechoed: 0,
    attempt: [],
    model: options.model ?? null,
    agent: options.mode ?? null,
  };
}

/** The number of messages and parts that are remembered. */
const MESSAGES_MAX = 64;
const PARTS_MAX = 256;

export function messageOf({ state }: OpenCodeWork, id: string): { isUser: boolean; parts: number } {
  const known = state.messages[id];
  if (known) return known;
  for (const old of Object.keys(state.messages).slice(0, -MESSAGES_MAX)) delete state.messages[old];
  return (state.messages[id] = { isUser: false, parts: 0 });
}

export function partOf(
  work: OpenCodeWork,
  message: string,
  id: string,
  kind: 'message' | 'thinking',
): { part: number; isDone: boolean; kind: 'message' | 'thinking' } {
  const { state } = work;
  const known = state.parts[id];
  if (known) return known;
  for (const old of Object.keys(state.parts).slice(0, -PARTS_MAX)) delete state.parts[old];
  return (state.parts[id] = { part: messageOf(work, message).parts++, isDone: false, kind });
}

/** Returns the subagent that a session belongs to: any session except ours. */
export function agentOf({ state }: OpenCodeWork, session: string | undefined): AgentRef | undefined {
  return session === undefined || session === state.session ? undefined : { id: session };
}

/** Calls the agent's HTTP interface. The bridge makes the call, and its answer is a line with the same id. */
export function call(
  { state, ledger }: OpenCodeWork,
  http: string,
  body?: unknown,
  how: { readonly wait?: false; readonly afterMs?: number } = {},
): void {
  ledger.write({ id: `spool-${++state.requests}`, http, body, ...how });
}
