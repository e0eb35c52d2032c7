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

/** The event that began an entry. */
export interface EntryPlace {
  /** The number of the event: the entry's name for links, the same in every view. */
  readonly seq: number;
  /** Its time, in milliseconds since 1970. */
  readonly at: number;
  /** The offset of its line in the output log; undefined if it follows from a command. */
  readonly offset: number | undefined;
}

interface Common {
  /** A number that rises with each change. */
  revision: number;
  readonly place: EntryPlace;
  /** The subagent that caused it. */
  readonly agent?: string | undefined;
  /** The tool call that started the subagent. */
  readonly parentTool?: string | undefined;
}

export type TranscriptEntry = Common &
  (
    | { readonly kind: 'agent'; readonly text: string }
    | PromptEntry
    | {
        readonly kind: 'message' | 'thinking';
        text: KeptText;
        isDone: boolean;
        isError: boolean;
        /** The time from its first to its last piece; undefined if it came whole. */
        durationMs: number | undefined;
      }
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

export interface PromptEntry {
  readonly kind: 'prompt';
  readonly text: string;
  /** The text without the marks of its images. */
  readonly words: string;
  readonly images: readonly PromptImage[];
  /** The client that sent it, if it is in the log. */
  readonly who: string | undefined;
  /** Whether it was sent into the running turn. */
  readonly isSteering: boolean;
}

/** An image of a prompt; without data if it is only named. */
export interface PromptImage {
  readonly mime: string;
  readonly data: string | undefined;
}

export interface ToolEntry {
  readonly kind: 'tool';
  readonly tool: string;
  /** The input as far as it is known. */
  input: unknown;
  /** The time of its end, in milliseconds since 1970. */
  endedAt: number | undefined;
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
