/**
 * The actions of an agent as events: one vocabulary for every agent that Spool drives. A dialect (`packages/drivers`) turns the
 * lines of an agent's wire into bodies; the driver puts each one into an envelope. The words of ACP are used where they exist.
 *
 * Kinds and fields are wire format: add, never rename. A reader shows an unknown kind as `raw`.
 */
import type { Command, Content } from './commands.ts';

/** The version: raised when a reader of the previous version would misread an event, not for a new kind or field. */
export const AGENT_EVENTS_VERSION = 1;

/** The agent or program that is the source. */
export type AgentSource = 'claude' | 'codex' | 'opencode' | 'gemini' | 'grok' | 'acp' | 'pty';

/**
 * The kind of evidence. `wire`: the agent's own structured stream. `hook`, `file`: a structured side channel of an agent in a
 * terminal. `screen`: inferred. `daemon`: a fact from the daemon itself, such as the end of the process.
 */
export type AgentEvidence = 'wire' | 'hook' | 'file' | 'screen' | 'daemon';

export interface AgentEnvelope {
  /** The number of the event: assigned by the daemon, dense, per session; the cursor of every watcher. */
  readonly seq: number;
  /** The time when the daemon received it, in milliseconds since 1970. */
  readonly at: number;
  readonly session: string;
  readonly source: AgentSource;
  readonly evidence: AgentEvidence;
  /** The place of its line in the output log. Events that follow from a command have none. */
  readonly raw?: { readonly offset: number; readonly length: number };
}

/** A body with the turn and the agent that it belongs to. */
export type AgentBody = Body & { readonly turn?: string; readonly agent?: AgentRef };

export type AgentEvent = AgentEnvelope & AgentBody;

export type AgentEventKind = Body['kind'];

/** A subagent. Without one, the event is about the main agent. */
export interface AgentRef {
  readonly id?: string;
  readonly parentTool?: string;
  readonly name?: string;
}

/** The kinds of ACP, and `agent` for a tool that starts a subagent. */
export const TOOL_KINDS = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'mode',
  'agent',
  'other',
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

export interface Diff {
  readonly path: string;
  readonly change: 'add' | 'modify' | 'delete' | 'move';
  readonly movedTo?: string;
  readonly unified?: string;
  readonly hunks?: readonly Hunk[];
  readonly oldText?: string | null;
  readonly newText?: string;
}

export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

export interface Tokens {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
  readonly total?: number;
}

export const OPTION_KINDS = ['allow_once', 'allow_always', 'reject_once', 'reject_always', 'other'] as const;

export interface PermissionOption {
  readonly id: string;
  readonly label: string;
  readonly kind: (typeof OPTION_KINDS)[number];
  /** The other changes that the option causes, in the agent's own words. */
  readonly effect?: unknown;
}

export interface AgentQuestion {
  readonly id: string;
  readonly text: string;
  readonly header?: string;
  readonly multi?: boolean;
  readonly options: readonly { readonly id: string; readonly label: string; readonly description?: string }[];
  readonly freeText?: boolean;
}

export interface PlanEntry {
  readonly id?: string;
  readonly text: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'deleted';
  readonly priority?: 'high' | 'medium' | 'low';
}

export interface AgentFault {
  readonly code: string;
  readonly message: string;
  readonly httpStatus?: number | null;
  readonly retryable?: boolean;
}

export type AgentState = 'starting' | 'idle' | 'working' | 'waiting' | 'ended';
export type TurnOutcome = 'completed' | 'interrupted' | 'failed' | 'refused' | 'limit';
export type ToolStatus = 'ok' | 'error' | 'denied' | 'cancelled' | 'background';
export type Decision = 'allow' | 'deny' | 'cancelled' | 'error';
/**
 * The party that decided. `driver`: the driver denied a request that cannot be shown to anyone, such as the second use of a
 * request's id.
 */
export type DecidedBy = 'watcher' | 'terminal' | 'policy' | 'agent' | 'driver';

export type Body =
  // The session.
  | {
      readonly kind: 'session.started';
      readonly agentName?: string;
      readonly agentVersion?: string;
      readonly agentSession?: string;
      readonly model?: string;
      readonly cwd?: string;
      readonly mode?: string;
      readonly tools?: readonly string[];
      readonly commands?: readonly string[];
      readonly capabilities?: unknown;
    }
  | {
      readonly kind: 'session.updated';
      readonly agentSession?: string;
      readonly title?: string;
      readonly model?: string;
      readonly mode?: string;
      readonly commands?: readonly string[];
    }
  | {
      readonly kind: 'session.reset';
      readonly reason: 'clear' | 'compact' | 'fork' | 'other';
      readonly agentSession?: string;
      readonly tokensBefore?: number;
      readonly tokensAfter?: number;
    }
  | {
      readonly kind: 'session.ended';
      readonly exitCode?: number | null;
      readonly signal?: string | null;
      /** The reason, for an agent that ended in the middle of a turn. */
      readonly reason?: string;
      /** The agent's own session, which another process can resume. */
      readonly agentSession?: string;
    }
  | { readonly kind: 'status'; readonly state: AgentState; readonly detail?: string }
  // A turn: exactly one `ended` for each `started`.
  | {
      readonly kind: 'turn.started';
      readonly origin: 'user' | 'queue' | 'task' | 'agent';
      readonly clientIds?: readonly string[];
      readonly prompt?: readonly Content[];
    }
  | {
      readonly kind: 'turn.ended';
      readonly outcome: TurnOutcome;
      readonly stopReason?: string;
      readonly text?: string;
      readonly error?: AgentFault;
      readonly usage?: Tokens;
      readonly costUsd?: number;
      readonly durationMs?: number;
      readonly moreQueued?: number;
    }
  | {
      readonly kind: 'prompt';
      readonly state: 'queued' | 'started' | 'completed' | 'cancelled' | 'echo';
      readonly clientId?: string;
      readonly content?: readonly Content[];
      readonly synthetic?: boolean;
    }
  /** The waiting prompts, in order: a level, replaces. */
  | {
      readonly kind: 'queue';
      readonly prompts: readonly { readonly clientId: string; readonly content: readonly Content[] }[];
    }
  // Text. `delta` appends; `done` has the whole part and replaces the text from the deltas.
  | { readonly kind: 'message.delta'; readonly message: string; readonly part: number; readonly text: string }
  | {
      readonly kind: 'message.done';
      readonly message: string;
      readonly part: number;
      readonly text: string;
      readonly aborted?: boolean;
      readonly synthetic?: boolean;
      readonly isError?: boolean;
      /** Whether the final text is not the sum of the deltas: it replaces them. */
      readonly replaced?: boolean;
      /** Whether the text was longer than the driver keeps; the output log has all of it. */
      readonly truncated?: boolean;
    }
  /** The texts of these messages are withdrawn: a retry replaces them. */
  | { readonly kind: 'message.retracted'; readonly messages: readonly string[] }
  | {
      readonly kind: 'thinking.delta';
      readonly message: string;
      readonly part: number;
      readonly text: string;
      readonly tokens?: number;
    }
  | {
      readonly kind: 'thinking.done';
      readonly message: string;
      readonly part: number;
      readonly text: string;
      readonly durationMs?: number;
      readonly aborted?: boolean;
      readonly replaced?: boolean;
      readonly truncated?: boolean;
    }
  // Tools: one `started` and one `ended` each, in this order.
  | {
      readonly kind: 'tool.started';
      readonly tool: string;
      readonly name?: string;
      readonly toolKind: ToolKind;
      readonly title?: string;
      readonly input?: unknown;
      readonly paths?: readonly string[];
    }
  /** The partial text of the input, or the input as far as it is known. */
  | {
      readonly kind: 'tool.input';
      readonly tool: string;
      readonly partialJson?: string;
      readonly input?: unknown;
      readonly title?: string;
      readonly paths?: readonly string[];
    }
  | {
      readonly kind: 'tool.output';
      readonly tool: string;
      readonly mode: 'append' | 'replace' | 'tail';
      readonly stream: 'stdout' | 'stderr' | 'combined';
      readonly text: string;
      readonly totalBytes?: number;
      readonly truncated?: boolean;
    }
  | { readonly kind: 'tool.progress'; readonly tool: string; readonly elapsedMs?: number; readonly note?: string }
  | {
      readonly kind: 'tool.ended';
      readonly tool: string;
      readonly status: ToolStatus;
      readonly output?: readonly Content[];
      readonly exitCode?: number;
      readonly task?: string;
      readonly structured?: unknown;
      readonly truncated?: boolean;
      readonly reason?: string;
    }
  | {
      readonly kind: 'file.changed';
      readonly tool?: string;
      readonly phase: 'proposed' | 'applied' | 'failed';
      readonly diff: Diff;
    }
  // Decisions: exactly one `resolved` for each `requested`, one `question.resolved` for each `question.asked`.
  | {
      readonly kind: 'permission.requested';
      readonly request: string;
      readonly tool?: string;
      readonly name?: string;
      readonly toolKind?: ToolKind;
      readonly title?: string;
      readonly reason?: string;
      /** The whole input of the requested action. `title` and `reason` are the agent's own words. */
      readonly input?: unknown;
      /** The input of the tool call, if it differs from `input`. */
      readonly call?: unknown;
      readonly diffs?: readonly Diff[];
      readonly options: readonly PermissionOption[];
      readonly humanOnly?: boolean;
      readonly defaultNo?: boolean;
      /** The digest of everything that is shown. An answer that allows must contain it. */
      readonly digest?: string;
      /** The length of everything that must be shown, as JSON in UTF-8. */
      readonly bytes?: number;
      /** Whether the request was too large to be kept whole, so that it can only be denied. */
      readonly isCut?: boolean;
    }
  | {
      readonly kind: 'permission.resolved';
      readonly request: string;
      readonly tool?: string;
      readonly decision: Decision;
      readonly option?: string;
      readonly by: DecidedBy;
      /** The client that answered, or the rule of the policy. */
      readonly who?: string;
      readonly message?: string;
      /** The name of the tool. */
      readonly name?: string;
      /** The input that was decided about, if it is short; the request has it in any case. */
      readonly input?: unknown;
      /** The digest of the request. */
      readonly digest?: string;
      /** Whether the client replaced the input: `input` is then the new one. */
      readonly isInputChanged?: boolean;
    }
  | {
      readonly kind: 'question.asked';
      readonly request: string;
      readonly tool?: string;
      /** The name of the tool that asks, if the protocol gives one. */
      readonly name?: string;
      readonly questions: readonly AgentQuestion[];
      readonly schema?: unknown;
      /** The members of the input that are in neither the questions nor the schema. */
      readonly input?: unknown;
      /** The digest of the questions, the schema and the input. An answer must contain it. */
      readonly digest?: string;
      /** Whether the question was too large to be kept whole, so that it can only be declined. */
      readonly isCut?: boolean;
    }
  | {
      readonly kind: 'question.resolved';
      readonly request: string;
      readonly answers?: Readonly<Record<string, unknown>>;
      readonly decision: 'answered' | 'declined' | 'cancelled';
      readonly by?: DecidedBy;
      readonly who?: string;
    }
  | { readonly kind: 'plan.updated'; readonly replace: boolean; readonly entries: readonly PlanEntry[] }
  /** A command of a client that the driver did not execute, with the reason: `code` is stable, `message` gives advice. */
  | {
      readonly kind: 'command.refused';
      readonly command: string;
      readonly do: Command['do'];
      readonly code:
        | 'already-resolved'
        | 'unknown-request'
        | 'another-request'
        | 'unknown-prompt'
        | 'unsupported'
        | 'ended'
        /** The agent has closed its input, but still runs: it gets no further input. */
        | 'input-closed'
        | 'invalid'
        /** The driver could not execute it: a fault of the driver, after which its state is as before. */
        | 'failed';
      readonly message: string;
      readonly request?: string;
      readonly clientId?: string;
      readonly by?: string;
    }
  // Background work and subagents.
  | {
      readonly kind: 'task';
      readonly task: string;
      readonly state: 'started' | 'progress' | 'backgrounded' | 'completed' | 'failed' | 'stopped';
      readonly taskKind?: string;
      readonly tool?: string;
      readonly title?: string;
      readonly note?: string;
      readonly outputFile?: string;
      readonly usage?: Tokens;
    }
  /** The live background tasks: a level, replaces. */
  | {
      readonly kind: 'tasks.live';
      readonly tasks: readonly { readonly task: string; readonly taskKind?: string; readonly title?: string }[];
    }
  // Numbers, notices, faults.
  | {
      readonly kind: 'usage';
      readonly scope: 'message' | 'turn' | 'session';
      readonly tokens?: Tokens;
      readonly costUsd?: number;
      readonly perModel?: Readonly<Record<string, Tokens & { readonly costUsd?: number }>>;
      readonly context?: { readonly used: number; readonly size: number };
    }
  /** The used share of the account's quota, and the time when it resets (milliseconds since 1970). */
  | {
      readonly kind: 'quota';
      readonly name?: string;
      readonly usedPercent?: number;
      readonly resetsAt?: number;
      readonly detail?: unknown;
    }
  | {
      readonly kind: 'retry';
      readonly attempt: number;
      readonly max?: number;
      readonly delayMs?: number;
      readonly error: AgentFault;
    }
  | {
      readonly kind: 'notice';
      readonly level: 'info' | 'warning' | 'error';
      readonly text: string;
      readonly code?: string;
    }
  | { readonly kind: 'fault'; readonly error: AgentFault; readonly fatal: boolean }
  | {
      readonly kind: 'hook';
      readonly phase: 'started' | 'done';
      readonly name: string;
      readonly id?: string;
      readonly exitCode?: number;
      readonly output?: string;
    }
  /** An event that is unknown to this version: kept, shown, never dropped. */
  | { readonly kind: 'raw'; readonly type: string; readonly value: unknown; readonly truncated?: boolean };
