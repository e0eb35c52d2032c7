/**
 * What an agent does, as events: one vocabulary for every agent that Spool drives. A dialect (`packages/drivers`) turns the
 * lines of an agent's wire into bodies; the driver puts each one into an envelope. Where ACP has a word, it is used.
 *
 * Kinds and fields are wire format: add, never rename. A reader shows a kind that it does not know as `raw`.
 */
import type { Command, Content } from './commands.ts';

/** Rises when a reader of the previous version would misread an event; a new kind or field does not raise it. */
export const AGENT_EVENTS_VERSION = 1;

/** Who spoke. */
export type AgentSource = 'claude' | 'codex' | 'opencode' | 'gemini' | 'grok' | 'acp' | 'pty';

/**
 * How the daemon knows it. `wire`: the agent's own structured stream. `hook`, `file`: a structured side channel of an agent in
 * a terminal. `screen`: inferred. `daemon`: a fact of the daemon's own, such as the end of the process.
 */
export type AgentEvidence = 'wire' | 'hook' | 'file' | 'screen' | 'daemon';

export interface AgentEnvelope {
  /** Assigned by the daemon, dense, per session: the cursor of every watcher. */
  readonly seq: number;
  /** When the daemon received it, in milliseconds since 1970. */
  readonly at: number;
  readonly session: string;
  readonly source: AgentSource;
  readonly evidence: AgentEvidence;
  /** Where in the output log its line is. Events that follow from a command have none. */
  readonly raw?: { readonly offset: number; readonly length: number };
}

/** A body with the turn and the agent that it belongs to. */
export type AgentBody = Body & { readonly turn?: string; readonly agent?: AgentRef };

export type AgentEvent = AgentEnvelope & AgentBody;

export type AgentEventKind = Body['kind'];

/** A subagent. Without one, the main agent is meant. */
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
  /** What else the option changes, in the agent's own words. */
  readonly effect?: unknown;
}

export interface Question {
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

export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly httpStatus?: number | null;
  readonly retryable?: boolean;
}

export type AgentState = 'starting' | 'idle' | 'working' | 'waiting' | 'ended';
export type TurnOutcome = 'completed' | 'interrupted' | 'failed' | 'refused' | 'limit';
export type ToolStatus = 'ok' | 'error' | 'denied' | 'cancelled' | 'background';
export type Decision = 'allow' | 'deny' | 'cancelled' | 'error';
export type DecidedBy = 'watcher' | 'terminal' | 'policy' | 'agent';

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
      /** Of an agent that ended in the middle of a turn. */
      readonly reason?: string;
      /** The agent's own session: another process can go on with it. */
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
      readonly error?: Fault;
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
  /** The prompts that wait, in order: a level, replaces. */
  | {
      readonly kind: 'queue';
      readonly prompts: readonly { readonly clientId: string; readonly content: readonly Content[] }[];
    }
  // Text. `delta` appends; `done` has the whole part and replaces what the deltas built.
  | { readonly kind: 'message.delta'; readonly message: string; readonly part: number; readonly text: string }
  | {
      readonly kind: 'message.done';
      readonly message: string;
      readonly part: number;
      readonly text: string;
      readonly aborted?: boolean;
      readonly synthetic?: boolean;
      readonly isError?: boolean;
      /** The final text is not the sum of the deltas: it replaces what they built. */
      readonly replaced?: boolean;
      /** The text was longer than the driver keeps; the output log has all of it. */
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
  /** Partial text of the input, or the input as far as it is known. */
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
      readonly title?: string;
      readonly reason?: string;
      readonly input?: unknown;
      readonly diffs?: readonly Diff[];
      readonly options: readonly PermissionOption[];
      readonly humanOnly?: boolean;
      readonly defaultNo?: boolean;
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
    }
  | {
      readonly kind: 'question.asked';
      readonly request: string;
      readonly tool?: string;
      readonly questions: readonly Question[];
      readonly schema?: unknown;
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
  /** A command of a client that the driver did not carry out, and why: `code` is stable, `message` says what to do. */
  | {
      readonly kind: 'command.refused';
      readonly command: string;
      readonly do: Command['do'];
      readonly code: 'already-resolved' | 'unknown-request' | 'unknown-prompt' | 'unsupported' | 'ended' | 'invalid';
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
  /** The background tasks that live: a level, replaces. */
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
  /** How much of the account's quota is used, and when it resets (milliseconds since 1970). */
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
      readonly error: Fault;
    }
  | {
      readonly kind: 'notice';
      readonly level: 'info' | 'warning' | 'error';
      readonly text: string;
      readonly code?: string;
    }
  | { readonly kind: 'fault'; readonly error: Fault; readonly fatal: boolean }
  | {
      readonly kind: 'hook';
      readonly phase: 'started' | 'done';
      readonly name: string;
      readonly id?: string;
      readonly exitCode?: number;
      readonly output?: string;
    }
  /** Unknown to this version: kept, shown, never dropped. */
  | { readonly kind: 'raw'; readonly type: string; readonly value: unknown; readonly truncated?: boolean };
