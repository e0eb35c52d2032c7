/** What a transcript consists of: one entry for each thing that an agent or a user did, in the order in which it began. */
import type {
  AgentEvent,
  Diff,
  Fault,
  PlanEntry,
  Tokens,
  ToolKind,
  ToolStatus,
  TurnOutcome,
} from '@spool/protocol/agent';
import type { KeptText } from './kept-text.ts';

export type Asked = Extract<AgentEvent, { readonly kind: 'permission.requested' | 'question.asked' }>;

interface Common {
  /** Rises with each change. */
  revision: number;
  /** A subagent did it. */
  readonly agent?: string | undefined;
}

export type Entry = Common &
  (
    | { readonly kind: 'agent'; readonly text: string }
    | { readonly kind: 'prompt'; readonly text: string }
    | { readonly kind: 'message' | 'thinking'; text: KeptText; isDone: boolean; isError: boolean }
    | ToolEntry
    | { readonly kind: 'change'; readonly diff: Diff; readonly phase: 'proposed' | 'applied' | 'failed' }
    | AskEntry
    | { readonly kind: 'plan'; entries: readonly PlanEntry[] }
    | TurnEndEntry
    | {
        readonly kind: 'note';
        readonly level: 'info' | 'warning' | 'error';
        readonly text: string;
        readonly isMinor: boolean;
      }
  );

export interface ToolEntry {
  readonly kind: 'tool';
  readonly tool: string;
  name: string;
  toolKind: ToolKind;
  title: string;
  /** What it is about (a command, a file) is known. */
  isKnown: boolean;
  output: KeptText;
  diffs: readonly Diff[];
  /** Null while it runs. */
  status: ToolStatus | null;
  exitCode: number | undefined;
  reason: string | undefined;
  note: string | undefined;
  /** How its permission was decided. */
  permission: AskOutcome | null;
}

export interface AskEntry {
  readonly kind: 'ask';
  readonly ask: Asked;
  /** Null while it waits. */
  outcome: AskOutcome | null;
  /** The entry of its tool tells the outcome. */
  isTold: boolean;
}

export interface AskOutcome {
  readonly decision: 'allow' | 'deny' | 'cancelled' | 'error' | 'answered' | 'declined';
  readonly who: string | undefined;
  readonly isPolicy: boolean;
  readonly message: string | undefined;
}

export interface TurnEndEntry {
  readonly kind: 'turn-end';
  readonly outcome: TurnOutcome;
  readonly error: Fault | undefined;
  readonly usage: Tokens | undefined;
  readonly costUsd: number | undefined;
  readonly durationMs: number | undefined;
}

export type MessageEntry = Extract<Entry, { readonly kind: 'message' | 'thinking' }>;

/** Nothing more will change in it. */
export function isSettled(entry: Entry): boolean {
  switch (entry.kind) {
    case 'message':
    case 'thinking':
      return entry.isDone;
    case 'tool':
      return entry.status !== null;
    case 'ask':
      return entry.outcome !== null;
    default:
      return true;
  }
}
