/** The entries of a transcript: one for each action of an agent or a user, in the order in which the actions began. */
import type {
  AgentEvent,
  Diff,
  AgentFault,
  PlanEntry,
  Tokens,
  ToolKind,
  ToolStatus,
  TurnOutcome,
} from '@spool/protocol/agent';
import type { VisibleText } from '@spool/protocol/visible-text';
import type { KeptText } from './kept-text.ts';

export type AgentRequestEvent = Extract<AgentEvent, { readonly kind: 'permission.requested' | 'question.asked' }>;

interface Common {
  /** A number that rises with each change. */
  revision: number;
  /** The subagent that did it. */
  readonly agent?: string | undefined;
}

export type TranscriptEntry = Common &
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
  /** Whether its subject (a command, a file) is known. */
  isKnown: boolean;
  output: KeptText;
  diffs: readonly Diff[];
  /** The result; null while the tool runs. */
  status: ToolStatus | null;
  exitCode: number | undefined;
  reason: string | undefined;
  note: string | undefined;
  /** The decision about its permission. */
  permission: AskOutcome | null;
}

export interface AskEntry {
  readonly kind: 'ask';
  readonly ask: AgentRequestEvent;
  /** The outcome; null while the request waits. */
  outcome: AskOutcome | null;
  /** Whether the entry of its tool shows the outcome. */
  isTold: boolean;
}

export interface AskOutcome {
  readonly decision: 'allow' | 'deny' | 'cancelled' | 'error' | 'answered' | 'declined';
  readonly who: string | undefined;
  readonly isPolicy: boolean;
  readonly message: string | undefined;
  /** The subject of the decision: the tool and its input, or the question. */
  readonly about: VisibleText;
  /** The input with which it was allowed, if the client replaced it. */
  readonly changedTo: VisibleText | undefined;
}

export interface TurnEndEntry {
  readonly kind: 'turn-end';
  readonly outcome: TurnOutcome;
  readonly error: AgentFault | undefined;
  readonly usage: Tokens | undefined;
  readonly costUsd: number | undefined;
  readonly durationMs: number | undefined;
}

export type MessageEntry = Extract<TranscriptEntry, { readonly kind: 'message' | 'thinking' }>;

/** Returns whether the entry is final. */
export function isSettled(entry: TranscriptEntry): boolean {
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
